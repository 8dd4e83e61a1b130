import { type RawBuilder, sql } from 'kysely';
import { addMilliseconds } from '../../clock.ts';
import type { ColumnType, Dialect, NestedColumn } from '../dialect.ts';

/** The declared type of boolean columns. */
export const flagType = 'int';

const types: Record<ColumnType, string> = {
  serial: 'integer',
  int: 'integer',
  big: 'integer',
  real: 'real',
  text: 'text',
  // Strict tables have no boolean type. Only booleans are declared so: the driver recognizes them by it.
  bool: flagType,
  time: 'text',
  json: 'text',
  uuid: 'text',
};

const bucketFormat = { hour: '%Y-%m-%dT%H:00', day: '%Y-%m-%dT00:00', month: '%Y-%m-01T00:00' };

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  title: 'SQLite',
  columnType: (type) => types[type],
  jsonObject: (subquery, columns) => sql`(select ${objectOf(columns)} from (${subquery}) as q limit 1)`,
  jsonArray: (subquery, columns) =>
    sql`(select coalesce(json_group_array(${objectOf(columns)}), '[]') from (${subquery}) as q)`,
  jsonValues: (subquery, column) =>
    sql`(select coalesce(json_group_array(q.${sql.ref(column)}), '[]') from (${subquery}) as q)`,
  contains: (column, term) =>
    isAscii(term)
      ? sql`${column} like ${`%${escapeLike(term)}%`} escape '\\'`
      : sql`contains_folded(${column}, ${term}) = 1`,
  folded: (text) => sql`folded(${text})`,
  // With the index first, a limit ends the search: `in` would look for all rows beforehand.
  rowsWithWords(table, columns, words) {
    const index = sql.table(`${table}_search`);
    const longWords = words.filter((word) => [...word].length > maxPhrase);
    const holds = longWords.map((word) => {
      const contains = columns.map((column) => sqliteDialect.contains(sql.ref(`t.${column}`), word));
      return sql` and (${sql.join(contains, sql` or `)})`;
    });
    return sql`${index} as s cross join ${sql.table(table)} as t on t.rowid = s.rowid
      where ${index} match ${words.map(phraseOf).join(' ')}${sql.join(holds, sql``)}`;
  },
  isOneOf: (column, keys) => sql`${column} in (select value from json_each(${JSON.stringify(keys)}))`,
  keyFromText: (value, type) => (type === 'int' || type === 'serial' ? sql`cast(${value} as integer)` : value),
  toText: (value) => sql`cast(${value} as text)`,
  jsonText: (column, path) => sql`json_extract(${column}, ${jsonPath(path)})`,
  jsonNumber: (column, path) =>
    sql`case when json_type(${column}, ${jsonPath(path)}) in ('integer', 'real') then json_extract(${column}, ${jsonPath(path)}) end`,
  jsonElements: (column, path) => sql`(select case type when 'object' then value when 'array' then value
      when 'true' then 'true' when 'false' then 'false' else json_quote(value) end as value
    from json_each(case json_type(${column}, ${jsonPath(path)}) when 'array' then ${column} -> ${jsonPath(path)}
      else json_array(json(${column} -> ${jsonPath(path)})) end))`,
  jsonEquals: (column, path, value) =>
    sql`json_equals_at(${column}, ${JSON.stringify(path)}, ${JSON.stringify(value)}) = 1`,
  timeBucket: (column, unit) => sql`strftime(${sql.lit(bucketFormat[unit])}, ${column})`,
  forUpdate: sql``,
  exclusive: () => null,
  moment: (ofThisHost, plusMs = 0) => sql`${addMilliseconds(ofThisHost, plusMs)}`,
  millisecondsUntil: (column, ofThisHost) => sql`(julianday(${column}) - julianday(${ofThisHost})) * 86400000`,
  searchIndex(table, columns) {
    const index = `${table}_search`;
    const names = columns.join(', ');
    const values = (row: string) => columns.map((column) => `${row}.${column}`).join(', ');
    const remove = `insert into ${index}(${index}, rowid, ${names}) values ('delete', old.rowid, ${values('old')});`;
    const add = `insert into ${index}(rowid, ${names}) values (new.rowid, ${values('new')});`;
    const isChanged = `(${values('old')}) is not (${values('new')})`;
    return [
      `create virtual table if not exists ${index} using fts5(${names}, content='${table}', content_rowid='rowid', tokenize='trigram')`,
      // Version 0.2.0 left new rows to a job.
      `insert into ${index}(rowid, ${names}) select rowid, ${names} from ${table}
        where rowid > (select coalesce(max(id), 0) from ${index}_docsize)`,
      ...['insert', 'update', 'delete'].map((event) => `drop trigger if exists ${index}_${event}`),
      `create trigger ${index}_insert after insert on ${table} begin ${add} end`,
      `create trigger ${index}_update after update of ${names} on ${table} when ${isChanged} begin ${remove} ${add} end`,
      `create trigger ${index}_delete after delete on ${table} begin ${remove} end`,
    ];
  },
  rowsPerValue: (table, indexes) => [
    // Makes the table of statistics.
    'analyze settings',
    ...Object.entries(indexes).map(
      ([index, rows]) =>
        `insert into sqlite_stat1 (tbl, idx, stat) values ('${table}', '${index}', '${[largeTable, ...rows].join(' ')}')`,
    ),
    // Reads them.
    'analyze sqlite_schema',
  ],
  dropAlong: (table, column, other) => [
    `create trigger ${table}_drop_${other} after delete on ${table} begin delete from ${other} where pk = old.${column}; end`,
  ],
  violation(error) {
    const message = error instanceof Error ? error.message : '';
    const unique = /^UNIQUE constraint failed: (.+)$/.exec(message);
    // An index on an expression is identified by name: `<table>_<column>_lower`.
    const [, overLower] = /^index '[a-z]+_(\w+)_lower'$/.exec(unique?.[1] ?? '') ?? [];
    if (overLower) return { kind: 'unique', columns: [overLower] };
    if (unique?.[1]) {
      const columns = unique[1].split(', ').map((name) => name.slice(name.indexOf('.') + 1));
      return { kind: 'unique', columns };
    }
    if (message.startsWith('FOREIGN KEY constraint failed')) return { kind: 'reference' };
    if (message.startsWith('CHECK constraint failed')) return { kind: 'check' };
    return null;
  },
};

const largeTable = 1_000_000;

/** The index reads the rows of each trigram of a phrase. */
const maxPhrase = 12;
const phraseOf = (term: string) => `"${[...term].slice(0, maxPhrase).join('').replaceAll('"', '""')}"`;

function objectOf(columns: readonly NestedColumn[]): RawBuilder<unknown> {
  const pairs = columns.map(({ alias, json }) => {
    const column = sql.ref(`q.${alias}`);
    return sql`${sql.lit(alias)}, ${json ? sql`json(${column})` : column}`;
  });
  return sql`json_object(${sql.join(pairs)})`;
}

const isAscii = (text: string) => /^\p{ASCII}*$/u.test(text);
const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&');
const jsonPath = (path: readonly string[]) => `$${path.map((step) => `."${step.replaceAll('"', '')}"`).join('')}`;
