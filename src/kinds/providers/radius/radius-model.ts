/** The emitter of events, and the models of the provider and its mappings. */
export const radiusApp = 'svc_providers_radius';
export const radiusModel = `${radiusApp}.radiusprovider`;
export const radiusMappingModel = `${radiusApp}.radiusproviderpropertymapping`;
