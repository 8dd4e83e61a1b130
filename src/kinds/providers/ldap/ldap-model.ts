/** The emitter of events, and the model of the provider. */
export const ldapApp = 'svc_providers_ldap';
export const ldapModel = `${ldapApp}.ldapprovider`;

/** Who holds it finds everybody; others find themselves. */
export const searchPermission = `${ldapApp}.search_full_directory`;

export const accessModes = ['direct', 'cached'] as const;
export const uidSources = ['username', 'hashed_user_id'] as const;
