export const mediasrcSourceModel = 'svc_sources_mediasrc.mediasrcsource';
export const mediasrcMappingModel = 'svc_sources_mediasrc.mediasrcsourcepropertymapping';
export const mediasrcConnectionModel = 'svc_sources_mediasrc.usermediasrcsourceconnection';
