export const oauth2Model = 'svc_providers_oauth2.oauth2provider';
