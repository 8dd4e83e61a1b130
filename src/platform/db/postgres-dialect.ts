import { type RawBuilder, sql } from 'kysely';
import type { ColumnType, Dialect } from './dialect.ts';

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
  findsPair: (pair) => /^[a-z0-9]{2}$/i.test(pair),
  indexedContains: (_table, alias, columns, term) => {
    const texts = columns.map((column) => sql.ref(`${alias}.${column}`));
    const anyOf = (conditions: readonly RawBuilder<unknown>[]) => sql<boolean>`(${sql.join(conditions, sql` or `)})`;
    if (!postgresDialect.findsPair(term))
      return anyOf(texts.map((text) => sql`${text} collate "default" ilike ${`%${escapeLike(term)}%`}`));
    const wide = sql.raw(isWide(columns.map((column) => `${alias}.${column}`)));
    const holds = anyOf(texts.map((text) => postgresDialect.contains(text, term)));
    return sql`${anyOf([...texts.map((text) => hasTrigramOf(text, term)), wide])} and ${holds}`;
  },
  // An array type takes no collation.
  isOneOf: (column, keys, type) =>
    sql`${column} = any(cast(${keys} as ${sql.raw(`${type === 'text' ? type : types[type]}[]`)}))`,
  scans: {
    by: 'time',
    limit: (milliseconds) => sql.raw(`set local statement_timeout = ${milliseconds}`),
    // The same rows each time, so that an estimate stays the same from page to page.
    sample: (table, alias, percent) =>
      sql`${sql.table(table)} as ${sql.ref(alias)} tablesample system (${percent}) repeatable (0)`,
  },
  // It takes a join by a range for a large part of the table, and would read the table. `offset` keeps it from seeing a join.
  forEach: (source, table, alias, condition) => sql`${sql.table(source)} cross join lateral
    (select * from ${sql.table(table)} as ${sql.ref(alias)} where ${condition} offset 0) as ${sql.ref(alias)}`,
  // By the statistics of a short-lived row it would go through all users below the one that is wanted.
  lookUp: (table, alias, condition) => sql`left join lateral
    (select * from ${sql.table(table)} as ${sql.ref(alias)} where ${condition} offset 0) as ${sql.ref(alias)} on true`,
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
  // Whoever comes while this waits, waits behind it.
  keepWritersOut: (table) => [
    sql`set local lock_timeout = '2s'`,
    sql`lock table ${sql.table(table)} in share row exclusive mode`,
  ],
  moment: (_ofThisHost, plusMs = 0) =>
    sql`(statement_timestamp() + cast(${plusMs} as double precision) * interval '1 millisecond')`,
  millisecondsUntil: (column) =>
    sql`cast(extract(epoch from ${column} - statement_timestamp()) * 1000 as double precision)`,
  searchIndex: (table, columns) =>
    columns.map((column) => {
      const create = `create index ${table}_${column}_search on ${table} using gin (${column} collate "default" gin_trgm_ops)`;
      return `do $$ begin if exists (select from pg_extension where extname = 'pg_trgm') then ${create}; end if; end $$`;
    }),
  // Two letters and whatever follows them are found by the trigrams of ASCII; rows with other characters need this index.
  pairIndex: (table, columns) => [`create index ${table}_wide on ${table} (pk) where ${isWide(columns)}`],
  comparisonIndex: () => [],
  rowsPerValue: () => [],
  orderApart: (table, column, apart) => [
    `create table ${apart} (pk integer not null, ${column} ${types.time})`,
    `create function ${apart}() returns trigger language plpgsql as $$ begin
      if tg_op = 'INSERT' then insert into ${apart} select pk, ${column} from added;
      elsif tg_op = 'DELETE' then delete from ${apart} where pk in (select pk from gone);
      else update ${apart} set ${column} = new.${column} where pk = new.pk;
      end if;
      return null;
    end $$`,
    // From here on nobody else writes the table.
    `create trigger ${apart}_insert after insert on ${table} referencing new table as added
      for each statement execute function ${apart}()`,
    `create trigger ${apart}_delete after delete on ${table} referencing old table as gone
      for each statement execute function ${apart}()`,
    `create trigger ${apart}_update after update of ${column} on ${table} for each row
      when (old.${column} is distinct from new.${column}) execute function ${apart}()`,
    `insert into ${apart} select pk, ${column} from ${table}`,
    // Not before: filling indexes takes twice as long as making them.
    `alter table ${apart} add primary key (pk)`,
    `create index ${apart}_${column} on ${apart} (${column} desc, pk)`,
    `drop index ${table}_${column}`,
    // Indexes stay as they are only if the changed row fits beside the old one.
    `alter table ${table} set (fillfactor = 90)`,
  ],
  inOrderApart: (from, column, apart) => ({
    from: sql`${from} join ${sql.table(apart)} as o on o.pk = t.pk`,
    column: sql`o.${sql.ref(column)}`,
  }),
  lateIndex: null,
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

/** Whether a text has a pair of letters at its end or before an ASCII character: in such patterns PostgreSQL sees trigrams, in two letters alone it does not. */
function hasTrigramOf(text: RawBuilder<unknown>, pair: string): RawBuilder<boolean> {
  const [first = [], second = []] = Array.from(pair, (letter) => [letter.toLowerCase(), letter.toUpperCase()]);
  const before = `[${first.join('')}][${second.join('')}][\\x01-\\x7f]`;
  const ends = first.flatMap((one) => second.map((other) => `%${one}${other}`));
  return sql`${text} collate "default" ~ ${before} or ${text} collate "default" like any (cast(${ends} as text[]))`;
}

/** Whether one of these texts has a character beyond ASCII. An equation, because the planner takes those for rare. */
const isWide = (columns: readonly string[]) => `cast(${columns.join(' || ')} ~ '[^\\x01-\\x7f]' as integer) = 1`;

const at = (column: RawBuilder<unknown>, path: readonly string[]) => sql`(${column} #> cast(${path} as text[]))`;
const isAscii = (text: string) => /^\p{ASCII}*$/u.test(text);
const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&');
