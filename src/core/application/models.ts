export const applicationModel = 'svc_core.application';
export const providerModel = 'svc_core.provider';
export const bindingModel = 'svc_policies.policybinding';
