import type { Migration } from '../migrate.ts';

/**
 * A provider without a signing key uses that of the server. Providers that had none keep what they did: the client secret
 * signs by HS256, and SAML messages are not signed.
 */
export const ownSigningKeys: Migration = {
  name: '0070-own-signing-key',
  statements: (dialect) => {
    const off = dialect.name === 'sqlite' ? '0' : 'false';
    return [
      `alter table "provider_oauth2" add column "id_token_signed_response_alg" ${dialect.columnType('text')} not null default 'auto'`,
      `update provider_oauth2 set id_token_signed_response_alg = 'HS256' where signing_key is null`,
      `update provider_saml set sign_assertion = ${off}, sign_response = ${off} where signing_kp is null`,
    ];
  },
};
