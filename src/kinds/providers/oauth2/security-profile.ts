export const securityProfiles = ['standard', 'fapi2'] as const;
export type SecurityProfile = (typeof securityProfiles)[number];
