export const deviceCodeGrant = 'urn:ietf:params:oauth:grant-type:device_code';
export const tokenExchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** Grant types; `implicit` and `hybrid` are flows of the authorize endpoint. */
export const grantTypes = [
  'authorization_code',
  'implicit',
  'hybrid',
  'refresh_token',
  'client_credentials',
  'password',
  deviceCodeGrant,
  tokenExchangeGrant,
] as const;
export type GrantType = (typeof grantTypes)[number];

/** RFC 9700 §2.1.2, §2.4: implicit, hybrid and password grants are for clients that support nothing else. */
export const defaultGrantTypes: readonly GrantType[] = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  deviceCodeGrant,
  tokenExchangeGrant,
];
