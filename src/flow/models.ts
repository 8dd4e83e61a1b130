export const flowModel = 'svc_flows.flow';
export const stageBindingModel = 'svc_flows.flowstagebinding';
