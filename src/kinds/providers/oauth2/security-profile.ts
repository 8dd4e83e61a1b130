import { standardAlgorithms } from '../../../provider/workload/verify-assertion.ts';

export const securityProfiles = ['standard', 'fapi2'] as const;
export type SecurityProfile = (typeof securityProfiles)[number];

type Profiled = { readonly security_profile: SecurityProfile };

/** Whether the FAPI 2.0 Security Profile holds for the client. */
export const isFapi2 = ({ security_profile }: Profiled): boolean => security_profile === 'fapi2';

/** FAPI 2.0 Security Profile §5.4.1 */
export const fapi2Algorithms = ['PS256', 'ES256', 'EdDSA', 'Ed25519'];

/** What a client may sign its assertions, request objects and proofs with. */
export const algorithmsOf = (client: Profiled): string[] => (isFapi2(client) ? fapi2Algorithms : standardAlgorithms);
