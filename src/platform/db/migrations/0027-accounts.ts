import type { Dialect } from '../dialect.ts';
import type { Migration } from '../migrate.ts';
import { addColumns, createTable } from '../table.ts';

/** Verified addresses of users, and keys to look them up by. */
export const accounts: Migration = {
  name: '0027-accounts',
  statements: (dialect) => [
    ...verifiedAddresses(dialect),
    ...nameKeys(dialect),
    ...attributeIndexes,
    // Events of deleted users, which can be hundreds of thousands, are deleted by a job.
    ...createTable(dialect, 'user_deletions', { pk: 'int key', deleted: 'time' }),
    // What users have dismissed on the start page.
    ...createTable(
      dialect,
      'user_dismissals',
      { user: 'int -> users cascade', name: 'text' },
      { unique: [['user', 'name']] },
    ),
  ],
};

/**
 * Whether, when and how `verified_email` was verified; it says nothing about another address. Until now administrators
 * wrote an attribute for applications.
 */
function verifiedAddresses(dialect: Dialect): string[] {
  const [isVerified, yes, now] =
    dialect.name === 'sqlite'
      ? [`json_type("attributes", '$.email_verified') = 'true'`, '1', `strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')`]
      : [`("attributes" -> 'email_verified')::text = 'true'`, 'true', 'now()'];
  return [
    ...addColumns(dialect, 'users', {
      verified_email: 'text?',
      email_verified: 'bool?',
      email_verified_at: 'time?',
      email_verified_by: 'text?',
      last_updated: 'time?',
    }),
    `update "users" set "verified_email" = "email", "email_verified" = ${yes}, "email_verified_at" = ${now},
      "email_verified_by" = 'administrator' where "email" <> '' and ${isVerified}`,
  ];
}

/**
 * Names and addresses of users are looked up, and unique, by keys that code computes (`src/lib/name-key.ts`), because
 * `lower()` handles ASCII letters only. ASCII keys are set here, others at the start (`fillNameKeys`). Of several rows
 * with one key, from before or because they share an address, all but one are marked by their uuid. `upn_key` is set
 * when attributes are written.
 */
function nameKeys(dialect: Dialect): string[] {
  const isAscii = (column: string) =>
    dialect.name === 'sqlite' ? `${column} not glob '*[^ -~]*'` : `${column} !~ '[^ -~]'`;
  return [
    ...addColumns(
      dialect,
      'users',
      {
        username_key: 'text?',
        username_twin: "text default ''",
        email_key: 'text?',
        email_twin: "text default ''",
        upn_key: 'text?',
      },
      { sparse: { upn_key: [['upn_key']] } },
    ),
    `update "users" set "username_key" = lower("username") where ${isAscii('"username"')}`,
    `update "users" set "email_key" = lower("email") where "email" <> '' and ${isAscii('"email"')}`,
    'create unique index "users_by_username_key" on "users" ("username_key", "username_twin")',
    'create unique index "users_by_email_key" on "users" ("email_key", "email_twin")',
    // Accounts may share an address.
    'drop index "users_email_lower"',
    ...(dialect.name === 'postgres' ? triggersForOlderInstances : []),
  ];
}

/** Sets the ASCII keys of rows that an instance of the previous release writes beside this one. */
const triggersForOlderInstances = [
  `create function users_name_keys() returns trigger language plpgsql as $$ begin
    if new.username !~ '[^ -~]' then new.username_key := lower(new.username); end if;
    if new.email = '' then new.email_key := null;
    elsif new.email !~ '[^ -~]' then new.email_key := lower(new.email); end if;
    return new; end $$`,
  'create trigger users_name_keys before insert or update of "username", "email" on "users" for each row execute function users_name_keys()',
];

/**
 * Attributes by which clients look users up, and which must be unique before they are released. Few users have them.
 */
const attributeIndexes = (
  [
    ['users_upn', `lower(substr("attributes" ->> 'upn', 1, 255))`, null],
    ['users_distinguished_name', `lower(substr("attributes" ->> 'distinguishedName', 1, 255))`, null],
    ['users_uid_number', `substr("attributes" ->> 'uidNumber', 1, 20)`, `"attributes" ->> 'uidNumber'`],
    ['users_gid_number', `substr("attributes" ->> 'gidNumber', 1, 20)`, `"attributes" ->> 'gidNumber'`],
  ] as const
).map(
  ([name, value, condition]) => `create index "${name}" on "users" (${value}) where ${condition ?? value} is not null`,
);
