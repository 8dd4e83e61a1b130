export const outpostModel = 'svc_outposts.outpost';
