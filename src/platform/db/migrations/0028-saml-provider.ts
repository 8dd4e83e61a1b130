import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** SAML providers and their mappings. */
export const samlProvider: Migration = {
  name: '0028-saml-provider',
  statements: (dialect) => [
    ...createTable(dialect, 'provider_saml', {
      pk: 'int key -> providers cascade',
      acs_url: 'text index',
      audience: 'text index',
      issuer: 'text index',
      sp_binding: 'text index',
      assertion_valid_not_before: 'text index',
      assertion_valid_not_on_or_after: 'text index',
      session_valid_not_on_or_after: 'text index',
      name_id_mapping: 'uuid? -> property_mappings set null',
      default_name_id_policy: 'text index',
      digest_algorithm: 'text index',
      signature_algorithm: 'text index',
      signing_kp: 'uuid? -> certificates set null',
      verification_kp: 'uuid? -> certificates set null',
      encryption_kp: 'uuid? -> certificates set null',
      encryption_algorithm: 'text index',
      sign_assertion: 'bool index',
      sign_response: 'bool index',
      default_relay_state: 'text index',
      sls_url: 'text index',
      sls_binding: 'text index',
      logout_method: 'text index',
    }),
    ...createTable(dialect, 'mapping_saml', {
      pk: 'uuid key -> property_mappings cascade',
      saml_name: 'text index',
      friendly_name: 'text? index',
    }),
  ],
};
