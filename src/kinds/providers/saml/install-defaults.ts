/** The attributes that every installation has. */
const attributes = ['upn', 'name', 'email', 'username', 'uid', 'groups', 'ms-windowsaccountname'] as const;
export type Attribute = (typeof attributes)[number];

/** The shipped mapping for an attribute, by `managed`. */
export const attributeMapping = (attribute: Attribute): string => `gatehouse/providers/saml/${attribute}`;

export const attributeMappings: readonly string[] = attributes.map(attributeMapping);
