import type { Migration } from '../migrate.ts';

/**
 * Whether, when and how the address of a user was verified, and `verified_email`, the address that this says it of: it says
 * nothing of another one, whoever writes that. Until now administrators wrote an attribute for applications.
 */
export const provenAddresses: Migration = {
  name: '0054-proven-addresses',
  statements: (dialect) => {
    const [isVerified, yes, now] =
      dialect.name === 'sqlite'
        ? [`json_type("attributes", '$.email_verified') = 'true'`, '1', `strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')`]
        : [`("attributes" -> 'email_verified')::text = 'true'`, 'true', 'now()'];
    return [
      `alter table "users" add column "verified_email" ${dialect.columnType('text')}`,
      `alter table "users" add column "email_verified" ${dialect.columnType('bool')}`,
      `alter table "users" add column "email_verified_at" ${dialect.columnType('time')}`,
      `alter table "users" add column "email_verified_by" ${dialect.columnType('text')}`,
      `alter table "users" add column "last_updated" ${dialect.columnType('time')}`,
      `update "users" set "verified_email" = "email", "email_verified" = ${yes}, "email_verified_at" = ${now},
        "email_verified_by" = 'administrator' where "email" <> '' and ${isVerified}`,
      `alter table "source_scim" add column "trust_emails" ${dialect.columnType('bool')} not null default ${dialect.name === 'sqlite' ? '0' : 'false'}`,
      `alter table "invitations" add column "mailed_to" ${dialect.columnType('text')}`,
    ];
  },
};
