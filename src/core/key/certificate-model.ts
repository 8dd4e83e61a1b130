export const certificateModel = 'svc_crypto.certificatekeypair';
