import type { Dialect } from '../dialect.ts';
import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/**
 * Charts count the events of each hour, and the applications used most all visits: too many to be counted at each request. So `count_rows`
 * counts old events into these tables, and triggers correct them, as `0037-counts.ts` does for lists. New events cost nothing but a comparison.
 */
export const eventCounts: Migration = {
  name: '0039-event-counts',
  statements: (dialect) =>
    [hours(dialect), applications].flatMap((counts) => [
      ...createTable(
        dialect,
        counts.table,
        { ...counts.columns, count: 'big' },
        { index: [Object.keys(counts.columns)] },
      ),
      `insert into counted_until (pk, until) values ('${counts.table}', '0001-01-01T00:00:00.000000Z')`,
      ...(dialect.name === 'sqlite' ? sqliteTriggers : postgresTriggers)(counts),
    ]),
};

interface Counts {
  readonly table: string;
  readonly columns: Record<string, string>;
  /** The values of the columns for an event. */
  of(event: string): string;
  /** Which events are counted. */
  where(event: string): string;
  /** The columns of events that the values depend on. */
  readonly from: string;
}

const hours = ({ name }: Dialect): Counts => ({
  table: 'event_hours',
  columns: { hour: 'text', action: 'text' },
  of: (event) =>
    name === 'sqlite'
      ? `strftime('%Y-%m-%dT%H:00', ${event}.created), ${event}.action`
      : `to_char(${event}.created at time zone 'UTC', 'YYYY-MM-DD"T"HH24:00'), ${event}.action`,
  where: () => 'true',
  from: 'action, created',
});

const applications: Counts = {
  table: 'event_applications',
  columns: { action: 'text', authorized_app: 'text' },
  of: (event) => `${event}.action, ${event}.authorized_app`,
  where: (event) => `${event}.authorized_app is not null`,
  from: 'action, authorized_app, created',
};

function sqliteTriggers({ table, columns, of, where, from }: Counts): string[] {
  const isCounted = (event: string) =>
    `${where(event)} and ${event}.created < (select until from counted_until where pk = '${table}')`;
  const add = `insert into ${table} values (${of('new')}, 1);`;
  const names = Object.keys(columns).join(', ');
  const remove = `update ${table} set "count" = "count" - 1
    where rowid = (select rowid from ${table} where (${names}) = (${of('old')}) limit 1);`;
  return [
    `create trigger ${table}_insert after insert on events when ${isCounted('new')} begin ${add} end`,
    `create trigger ${table}_delete after delete on events when ${isCounted('old')} begin ${remove} end`,
    `create trigger ${table}_leave after update of ${from} on events when ${isCounted('old')} begin ${remove} end`,
    `create trigger ${table}_enter after update of ${from} on events when ${isCounted('new')} begin ${add} end`,
  ];
}

// The job counts rows that are ten minutes old, and no others, while nobody writes the table.
function postgresTriggers({ table, of, where, from }: Counts): string[] {
  const all = (event: string) =>
    from
      .split(', ')
      .map((name) => `${event}.${name}`)
      .join(', ');
  return [
    `create function ${table}() returns trigger language plpgsql as $$
    declare boundary timestamptz := (select until from counted_until where pk = '${table}');
    begin
      if tg_op = 'DELETE' then
        insert into ${table} select ${of('gone')}, -count(*) from gone
          where ${where('gone')} and created < boundary group by 1, 2;
        return null;
      end if;
      if tg_op = 'UPDATE' and ${where('old')} and old.created < boundary then
        insert into ${table} values (${of('old')}, -1);
      end if;
      if ${where('new')} and new.created < boundary then
        insert into ${table} values (${of('new')}, 1);
      end if;
      return null;
    end $$`,
    `create trigger ${table}_insert after insert on events for each row
      when (new.created < clock_timestamp() - interval '5 minutes') execute function ${table}()`,
    `create trigger ${table}_update after update of ${from} on events for each row
      when ((${all('old')}) is distinct from (${all('new')})) execute function ${table}()`,
    `create trigger ${table}_delete after delete on events referencing old table as gone
      for each statement execute function ${table}()`,
  ];
}
