import type { Migration } from '../migrate.ts';

/** A number that changes with every committed change of a table that has the trigger; see `postgres/stamps.ts`. */
export const stamps: Migration = {
  name: '0023-stamps',
  statements: ({ name }) => [
    'create table stamps (pk integer primary key, value bigint not null)',
    ...(name === 'postgres' ? [stampFunction] : []),
  ],
};

// Once in a transaction, and at its very end, since the trigger is deferred: other transactions that set it wait only
// for the commit.
const stampFunction = `create function stamp() returns trigger language plpgsql as $$
  begin
    if current_setting('gatehouse.stamped', true) is distinct from pg_current_xact_id()::text then
      insert into stamps as s (pk, value) values (1, 1) on conflict (pk) do update set value = s.value + 1;
      perform set_config('gatehouse.stamped', pg_current_xact_id()::text, true);
    end if;
    return null;
  end $$`;
