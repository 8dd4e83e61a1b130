import { type RawBuilder, sql } from 'kysely';
import { addMilliseconds } from '../clock.ts';
import type { ColumnType, Dialect, NestedColumn } from './dialect.ts';

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
  findsPair: (pair) => /^(\p{ASCII}{2}|\p{Lo}{2})$/u.test(pair),
  indexedContains: (table, alias, columns, term) => {
    const found = foundBy(table, columns, term);
    const later = sql`select rowid from ${sql.table(table)} where rowid > ${lastIndexed(table)}`;
    const row = sql.ref(`${alias}.rowid`);
    if (isPhrase(term)) {
      const holds = columns.map((column) => sqliteDialect.contains(sql.ref(column), term));
      return sql`${row} in (${found} union all ${later} and (${sql.join(holds, sql` or `)}))`;
    }
    const holds = columns.map((column) => sqliteDialect.contains(sql.ref(`${alias}.${column}`), term));
    return sql`(${row} in (${found} union all ${later}) and (${sql.join(holds, sql` or `)}))`;
  },
  isOneOf: (column, keys) => sql`${column} in (select value from json_each(${JSON.stringify(keys)}))`,
  scans: {
    by: 'slices',
    // Both by one select would take a scan.
    bounds: (table) => sql`select (select min(rowid) from ${sql.table(table)}) as first,
      (select max(rowid) from ${sql.table(table)}) as last`,
    from: (table, alias) => sql`${sql.table(table)} as ${sql.ref(alias)} not indexed`,
    within: (alias, { after, upTo }) =>
      sql`${sql.ref(`${alias}.rowid`)} > ${after} and ${sql.ref(`${alias}.rowid`)} <= ${upTo}`,
    withinAny(table, alias, slices) {
      const row = sql.ref(`${alias}.rowid`);
      return sql`json_each(${JSON.stringify(slices)}) as slice cross join ${sql.table(table)} as ${sql.ref(alias)} not indexed
        where ${row} > slice.value ->> 'after' and ${row} <= slice.value ->> 'upTo'`;
    },
    found: (table, columns, term, limit) =>
      sql`select count(*) as count from (select 1 from (${foundBy(table, columns, term)}) limit ${limit})`,
    amongFound(table, columns, word, condition) {
      const end = (direction: 'asc' | 'desc') =>
        sql`(${foundBy(table, columns, word)} order by rowid ${sql.raw(direction)} limit 1)`;
      // The place of a row is in every index, and nothing in a case has an index chosen for it.
      return sql`case when t.rowid < ${end('asc')} or t.rowid > ${end('desc')} and t.rowid <= ${lastIndexed(table)}
        then 0 else ${condition} end`;
    },
  },
  forEach: (source, table, alias, condition) =>
    sql`${sql.table(source)} cross join ${sql.table(table)} as ${sql.ref(alias)} where ${condition}`,
  lookUp: (table, alias, condition) => sql`left join ${sql.table(table)} as ${sql.ref(alias)} on ${condition}`,
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
  keepWritersOut: () => [],
  moment: (ofThisHost, plusMs = 0) => sql`${addMilliseconds(ofThisHost, plusMs)}`,
  millisecondsUntil: (column, ofThisHost) => sql`(julianday(${column}) - julianday(${ofThisHost})) * 86400000`,
  searchIndex(table, columns) {
    const index = `${table}_search`;
    const names = columns.join(', ');
    const values = (row: string) => columns.map((column) => `${row}.${column}`).join(', ');
    const remove = `insert into ${index}(${index}, rowid, ${names}) values ('delete', old.rowid, ${values('old')});`;
    const add = `insert into ${index}(rowid, ${names}) values (new.rowid, ${values('new')});`;
    const isIndexed = `exists (select 1 from ${index}_docsize where id = old.rowid)`;
    return [
      `create virtual table ${index} using fts5(${names}, content='${table}', content_rowid='rowid', tokenize='trigram')`,
      `create trigger ${index}_delete after delete on ${table} when ${isIndexed} begin ${remove} end`,
      `create trigger ${index}_update after update of ${names} on ${table} when ${isIndexed} begin ${remove} ${add} end`,
    ];
  },
  // Every pair of letters but a value's last begins a trigram.
  pairIndex: (table, columns) => [
    `create virtual table ${table}_search_terms using fts5vocab('${table}_search', 'instance')`,
    ...columns.map((column) => `create index ${table}_${column}_end on ${table} (${endOf(column)})`),
  ],
  comparisonIndex(table, [first = '', ...others]) {
    // Lists are ordered by the key too.
    const columns = [first, 'pk', ...others];
    return [
      `create index ${table}_compared on ${table} (${columns.join(', ')})`,
      ...sqliteDialect.rowsPerValue(table, { [`${table}_compared`]: columns.map(() => 1) }),
    ];
  },
  orderApart: () => [],
  inOrderApart: (from, column) => ({ from, column: sql`t.${sql.ref(column)}` }),
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
  // A batch of a thousand rows takes a third of the time that single inserts in their own transactions take.
  lateIndex: {
    behind: (table) => sql`select coalesce(max(rowid), 0) - ${lastIndexed(table)} as rows from ${sql.table(table)}`,
    fill(table, columns, limit) {
      const names = sql.join(columns.map((column) => sql.ref(column)));
      return sql`insert into ${sql.table(`${table}_search`)} (rowid, ${names}) select rowid, ${names}
        from ${sql.table(table)} where rowid > ${lastIndexed(table)} order by rowid limit ${limit}`;
    },
  },
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

const isPair = (term: string) => [...term].length === 2;
const endOf = (column: string) => `lower(substr(${column}, -2))`;

/** So many trigrams of a word are looked for. */
const enoughTrigrams = 3;
/** Among those that it begins with: a stranger's word may have thousands. */
const maxTrigrams = 50;
/** How close to each other the first rows with a trigram are shows how rare it is. */
const firstRows = 50;
/** A phrase reads the rows of each of its letters. */
const maxPhrase = 12;

const trigramsOf = (word: string) => [
  ...new Set(
    Array.from({ length: Math.min(word.length - 2, maxTrigrams) }, (_, at) =>
      quoted(word.slice(at, at + 3).toLowerCase()),
    ),
  ),
];
const isByPhrase = (term: string) => !isAscii(term) || term.length - 2 <= enoughTrigrams;
const phraseOf = (term: string) => quoted([...term].slice(0, maxPhrase).join(''));
const isPhrase = (term: string) => !isPair(term) && isByPhrase(term) && [...term].length <= maxPhrase;
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** The rows in the search index that hold a term; unless it is a phrase, perhaps others too, and some twice. */
function foundBy(table: string, columns: readonly string[], term: string): RawBuilder<unknown> {
  const index = sql.ref(`${table}_search`);
  const matching = (query: RawBuilder<unknown>) => sql`select rowid from ${index} where ${index} match ${query}`;
  const inColumns = `{${columns.join(' ')}} : `;
  if (isPair(term)) {
    const pair = term.toLowerCase();
    const begun = sql`select doc from ${sql.table(`${table}_search_terms`)} where term >= ${pair} and term < ${`${pair}\u{10ffff}`}`;
    const ended = columns.map(
      (column) => sql`select rowid from ${sql.table(table)} where ${sql.raw(endOf(column))} = ${pair}`,
    );
    return sql.join([begun, ...ended], sql` union all `);
  }
  if (isByPhrase(term)) return matching(sql`${inColumns + phraseOf(term)}`);
  // A phrase reads the rows of all its trigrams. The rarest lead to few rows that do not hold the word.
  const span = sql`select case when count(*) < ${firstRows} then 1e18 else max(rowid) - min(rowid) end
    from (${matching(sql`value`)} limit ${firstRows})`;
  const rarest = sql`select value from json_each(${JSON.stringify(trigramsOf(term))}) order by (${span}) desc limit ${enoughTrigrams}`;
  return matching(sql`(select ${`${inColumns}(`} || group_concat(value, ' AND ') || ')' from (${rarest}))`);
}

/** Rows enter the index in insertion order. */
const lastIndexed = (table: string) => sql`(select coalesce(max(id), 0) from ${sql.table(`${table}_search_docsize`)})`;

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
