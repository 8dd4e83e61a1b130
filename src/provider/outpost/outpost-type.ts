/** What an outpost serves. A kind of provider declares its type (`ProviderKind.outpost`). */
export type OutpostType = (typeof outpostTypes)[number];

export const outpostTypes = ['proxy', 'ldap', 'radius'] as const;
