/** The emitter of events, and the model of the provider. */
export const proxyApp = 'svc_providers_proxy';
export const proxyModel = `${proxyApp}.proxyprovider`;

export const proxyModes = ['proxy', 'forward_single', 'forward_domain'] as const;
export type ProxyMode = (typeof proxyModes)[number];

/** Where this server handles what reverse proxies and browsers ask for on the hosts of applications. */
export const outpostPath = '/outpost.gatehouse';
