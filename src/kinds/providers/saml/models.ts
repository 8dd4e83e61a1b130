export const samlProviderModel = 'svc_providers_saml.samlprovider';
export const samlMappingModel = 'svc_providers_saml.samlpropertymapping';
/** The emitter of its events. */
export const samlApp = 'svc_providers_saml';
