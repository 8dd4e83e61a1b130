import type { Migration } from '../migrate.ts';

/**
 * Names and addresses of users are looked up, and unique, by keys that code computes (`src/lib/name-key.ts`): `lower()` knows
 * ASCII letters alone. Those keys are set here; others are filled in at the start (`fillNameKeys`). Of several rows with one key,
 * from before or because they share an address, all but one have a mark, their uuid.
 */
export const nameKeys: Migration = {
  name: '0055-name-keys',
  statements: (dialect) => {
    const text = dialect.columnType('text');
    const isAscii = (column: string) =>
      dialect.name === 'sqlite' ? `${column} not glob '*[^ -~]*'` : `${column} !~ '[^ -~]'`;
    return [
      `alter table "users" add column "username_key" ${text}`,
      `alter table "users" add column "username_twin" ${text} not null default ''`,
      `alter table "users" add column "email_key" ${text}`,
      `alter table "users" add column "email_twin" ${text} not null default ''`,
      `update "users" set "username_key" = lower("username") where ${isAscii('"username"')}`,
      `update "users" set "email_key" = lower("email") where "email" <> '' and ${isAscii('"email"')}`,
      'create unique index "users_by_username_key" on "users" ("username_key", "username_twin")',
      'create unique index "users_by_email_key" on "users" ("email_key", "email_twin")',
      // Accounts may share an address.
      'drop index "users_email_lower"',
      ...(dialect.name === 'postgres' ? ofOlderInstances : []),
    ];
  },
};

/** What an instance of the previous release writes beside this one gets its keys here, as far as they are ASCII. */
const ofOlderInstances = [
  `create function users_name_keys() returns trigger language plpgsql as $$ begin
    if new.username !~ '[^ -~]' then new.username_key := lower(new.username); end if;
    if new.email = '' then new.email_key := null;
    elsif new.email !~ '[^ -~]' then new.email_key := lower(new.email); end if;
    return new; end $$`,
  'create trigger users_name_keys before insert or update of "username", "email" on "users" for each row execute function users_name_keys()',
];
