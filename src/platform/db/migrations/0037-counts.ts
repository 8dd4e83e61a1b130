import type { Dialect } from '../dialect.ts';
import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/**
 * Lists say how many rows there are, and counting millions takes longer than the rest of a request. So rows older than `counted_until` are
 * counted once, by a job, and triggers correct the counts: an older instance or `psql` need not know of them. Counts are added up, so that
 * writers add rows and never wait for each other.
 */
export const counts: Migration = {
  name: '0037-counts',
  statements: (dialect) => [
    ...createTable(dialect, 'counted_until', { pk: 'text key', until: 'time' }),
    // In the order in which requests lock these tables: an older instance may be writing.
    ...counted(dialect, {
      table: 'users',
      counts: 'user_counts',
      time: 'date_joined',
      columns: { type: 'text', is_active: 'bool', path: 'text' },
    }),
    ...counted(dialect, { table: 'events', counts: 'event_counts', time: 'created', columns: { action: 'text' } }),
  ],
};

interface Counted {
  readonly table: string;
  readonly counts: string;
  readonly time: string;
  readonly columns: Record<string, string>;
}

function counted(dialect: Dialect, input: Counted): string[] {
  const { table, counts, columns } = input;
  return [
    ...createTable(dialect, counts, { ...columns, count: 'big' }, { index: [Object.keys(columns)] }),
    `insert into counted_until (pk, until) values ('${table}', '0001-01-01T00:00:00.000000Z')`,
    ...(dialect.name === 'sqlite' ? sqliteTriggers : postgresTriggers)(input),
  ];
}

const of = (row: string, columns: Record<string, string>) => Object.keys(columns).map((name) => `${row}."${name}"`);

function sqliteTriggers({ table, counts, time, columns }: Counted): string[] {
  const isCounted = (row: string) => `${row}.${time} < (select until from counted_until where pk = '${table}')`;
  const add = `insert into ${counts} values (${of('new', columns).join(', ')}, 1);`;
  const same = Object.keys(columns).map((name) => `"${name}" = old."${name}"`);
  const remove = `update ${counts} set "count" = "count" - 1
    where rowid = (select rowid from ${counts} where ${same.join(' and ')} limit 1);`;
  const updated = `after update of ${[...Object.keys(columns), time].join(', ')} on ${table}`;
  return [
    `create trigger ${counts}_insert after insert on ${table} when ${isCounted('new')} begin ${add} end`,
    `create trigger ${counts}_delete after delete on ${table} when ${isCounted('old')} begin ${remove} end`,
    `create trigger ${counts}_leave ${updated} when ${isCounted('old')} begin ${remove} end`,
    `create trigger ${counts}_enter ${updated} when ${isCounted('new')} begin ${add} end`,
  ];
}

// The job counts rows that are ten minutes old, and no others, while nobody writes the table.
function postgresTriggers({ table, counts, time, columns }: Counted): string[] {
  const names = Object.keys(columns)
    .map((name) => `"${name}"`)
    .join(', ');
  const all = (row: string) => of(row, { ...columns, [time]: '' }).join(', ');
  return [
    `create function ${counts}() returns trigger language plpgsql as $$
    declare boundary timestamptz := (select until from counted_until where pk = '${table}');
    begin
      if tg_op = 'DELETE' then
        insert into ${counts} select ${names}, -count(*) from gone where ${time} < boundary group by ${names};
        return null;
      end if;
      if tg_op = 'UPDATE' and old.${time} < boundary then
        insert into ${counts} values (${of('old', columns).join(', ')}, -1);
      end if;
      if new.${time} < boundary then
        insert into ${counts} values (${of('new', columns).join(', ')}, 1);
      end if;
      return null;
    end $$`,
    `create trigger ${counts}_insert after insert on ${table} for each row
      when (new.${time} < clock_timestamp() - interval '5 minutes') execute function ${counts}()`,
    `create trigger ${counts}_update after update of ${names}, "${time}" on ${table} for each row
      when ((${all('old')}) is distinct from (${all('new')})) execute function ${counts}()`,
    `create trigger ${counts}_delete after delete on ${table} referencing old table as gone
      for each statement execute function ${counts}()`,
  ];
}
