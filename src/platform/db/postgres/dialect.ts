import { type RawBuilder, sql } from 'kysely';
import type { ColumnType, Dialect } from '../dialect.ts';

const types: Record<ColumnType, string> = {
  serial: 'integer',
  int: 'integer',
  big: 'bigint',
  real: 'double precision',
  // Texts sort by their bytes, as SQLite sorts them: one order on both databases.
  text: 'text collate "C"',
  bool: 'boolean',
  time: 'timestamptz',
  json: 'jsonb',
  uuid: 'uuid',
};

const bucketFormat = {
  hour: 'YYYY-MM-DD"T"HH24:00',
  day: 'YYYY-MM-DD"T"00:00',
  month: 'YYYY-MM-01"T"00:00',
};

export const postgresDialect: Dialect = {
  name: 'postgres',
  title: 'PostgreSQL',
  columnType: (type) => types[type],
  jsonObject: (subquery) => sql`(select to_json(q) from (${subquery}) as q limit 1)`,
  jsonArray: (subquery) => sql`(select coalesce(json_agg(to_json(q)), '[]') from (${subquery}) as q)`,
  jsonValues: (subquery, column) =>
    sql`(select coalesce(json_agg(q.${sql.ref(column)}), '[]') from (${subquery}) as q)`,
  contains(column, term) {
    const text = sql`cast(${column} as text)`;
    const folded = sql<boolean>`${text} collate "default" ilike ${`%${escapeLike(term)}%`}`;
    if (!isAscii(term)) return folded;
    // Twice as fast where it applies, which matters when a search reads a whole table.
    return sql`case when octet_length(${text}) = length(${text})
      then strpos(lower(${text} collate "C"), ${term.toLowerCase()}) > 0 else ${folded} end`;
  },
  folded: (text) => sql`lower(cast(${text} as text) collate "default")`,
  rowsWithWords(table, columns, words) {
    const conditions = words.map((word) => {
      const holds = columns.map(
        (column) => sql`t.${sql.ref(column)} collate "default" ilike ${`%${escapeLike(word)}%`}`,
      );
      return sql`(${sql.join(holds, sql` or `)})`;
    });
    return sql`${sql.table(table)} as t where ${sql.join(conditions, sql` and `)}`;
  },
  // An array type takes no collation.
  isOneOf: (column, keys, type) =>
    sql`${column} = any(cast(${keys} as ${sql.raw(`${type === 'text' ? type : types[type]}[]`)}))`,
  keyFromText: (value, type) => (type === 'text' ? value : sql`cast(${value} as ${sql.raw(types[type])})`),
  toText: (value) => sql`cast(${value} as text)`,
  jsonText: (column, path) => sql`${column} #>> ${sql`cast(${path} as text[])`}`,
  jsonNumber: (column, path) =>
    sql`case jsonb_typeof(${at(column, path)}) when 'number' then cast(${at(column, path)} as numeric) end`,
  jsonElements: (column, path) => sql`(select value from jsonb_array_elements(
    case jsonb_typeof(${at(column, path)}) when 'array' then ${at(column, path)} else jsonb_build_array(${at(column, path)}) end))`,
  jsonEquals: (column, path, value) =>
    sql`${column} #> ${sql`cast(${path} as text[])`} = cast(${JSON.stringify(value)} as jsonb)`,
  timeBucket: (column, unit) => sql`to_char(${column} at time zone 'UTC', ${sql.lit(bucketFormat[unit])})`,
  // Without the key: rows that refer to this one can be added meanwhile, which else makes deadlocks.
  forUpdate: sql`for no key update of t`,
  exclusive: (thing) => sql`select pg_advisory_xact_lock(hashtext(${`gatehouse ${thing}`}))`,
  moment: (_ofThisHost, plusMs = 0) =>
    sql`(statement_timestamp() + cast(${plusMs} as double precision) * interval '1 millisecond')`,
  millisecondsUntil: (column) =>
    sql`cast(extract(epoch from ${column} - statement_timestamp()) * 1000 as double precision)`,
  searchIndex(table, columns) {
    const trigrams = columns.map((column) => `${column} collate "default" gin_trgm_ops`).join(', ');
    const create = `create index if not exists ${table}_${columns.join('_')}_search on ${table} using gin (${trigrams})`;
    return [
      `do $$ begin if exists (select from pg_extension where extname = 'pg_trgm') then ${create}; end if; end $$`,
    ];
  },
  rowsPerValue: () => [],
  dropAlong: (table, column, other) => [
    `create function ${table}_drop_${other}() returns trigger language plpgsql as $$ begin delete from ${other} where pk = old.${column}; return null; end $$`,
    `create trigger ${table}_drop_${other} after delete on ${table} for each row execute function ${table}_drop_${other}()`,
  ],
  violation(error) {
    // Errors of pg have these members, others do not.
    const { code, detail } = error as { code?: string; detail?: string };
    if (code === '23505') {
      const columns = /^Key \((.+?)\)=/.exec(detail ?? '')?.[1] ?? '';
      return {
        kind: 'unique',
        columns: columns
          .split(', ')
          .map((name) => name.replaceAll('"', '').replace(/^lower\((\w+)(?:::text)?\)$/, '$1')),
      };
    }
    if (code === '23503') return { kind: 'reference' };
    if (code === '54000') return { kind: 'size' };
    if (code === '23514' || code === '23502') return { kind: 'check' };
    return null;
  },
};

const at = (column: RawBuilder<unknown>, path: readonly string[]) => sql`(${column} #> cast(${path} as text[]))`;
const isAscii = (text: string) => /^\p{ASCII}*$/u.test(text);
const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&');
