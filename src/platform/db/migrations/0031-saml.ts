import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** SAML providers, their mappings, and the sessions and single logouts of users at service providers. */
export const saml: Migration = {
  name: '0031-saml',
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
    // Which service providers users have signed in to. Rows outlive the session until the service providers are
    // notified.
    ...createTable(
      dialect,
      'saml_logins',
      {
        pk: 'serial',
        session: 'uuid',
        provider: 'int -> provider_saml cascade',
        session_index: 'text',
        name_id: 'text',
        name_id_format: 'text',
        issuer: 'text',
        created: 'time',
        expires: 'time index',
      },
      { unique: [['session', 'provider']], index: [['provider', 'session_index']] },
    ),
    // Logouts that are passing a browser from one service provider to the next.
    ...createTable(dialect, 'saml_logouts', {
      pk: 'uuid key',
      id_hash: 'text unique',
      content: 'text',
      expires: 'time index',
    }),
  ],
};
