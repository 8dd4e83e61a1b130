import { isDeepStrictEqual } from 'node:util';
import { type CompiledQuery, createQueryId, PostgresAdapter, type RawBuilder, sql } from 'kysely';
import { createLruCache } from '../../lib/lru-cache.ts';
import type { Query } from './database.ts';
import { orFail, type SentQuery } from './later.ts';

/** Runs the statement with these values. */
export type Statement<Values extends readonly unknown[], Row> = (db: Query, ...values: Values) => Promise<Row[]>;

type Slots<Values extends readonly unknown[]> = { readonly [K in keyof Values]: RawBuilder<unknown> };

interface Rendered<Row> {
  readonly query: CompiledQuery<Row>;
  /** The parameters are the values in order. */
  readonly isInOrder: boolean;
}

/** How a statement is sent. Only one whose rows nobody reads can require one. */
type Sending = Pick<SentQuery, 'sent'> | (Pick<SentQuery, 'orElse'> & { readonly sent: 'later' });

/** The placeholder of a value. */
class Slot {
  readonly index: number;
  constructor(index: number) {
    this.index = index;
  }
}

/**
 * A statement for a hot path: its text is rendered once per dialect, and later calls only bind values. `build` gets a
 * placeholder for each value.
 */
export function statement<Values extends readonly unknown[], Row>(
  build: (...slots: Slots<Values>) => RawBuilder<Row>,
  sending: Sending = {},
): Statement<Values, Row> {
  const rendered = new WeakMap<object, Rendered<Row>>();
  const { sent } = sending;
  const orElse = 'orElse' in sending ? sending.orElse : undefined;

  function render(db: Query, count: number): Rendered<Row> {
    const slots = Array.from({ length: count }, (_, index) => sql.val(new Slot(index)));
    // One slot per value.
    const built = build(...(slots as unknown as Slots<Values>));
    const query = orElse && isPostgres(db) ? orFail(built).compile(db) : built.compile(db);
    const { parameters } = query;
    const isInOrder =
      parameters.length === count && parameters.every((slot, at) => slot instanceof Slot && slot.index === at);
    return { query, isInOrder };
  }

  return async (db, ...values) => {
    const executor = db.getExecutor();
    // Each dialect has its own adapter class.
    const dialect = executor.adapter.constructor;
    let cached = rendered.get(dialect);
    if (!cached) {
      cached = render(db, values.length);
      rendered.set(dialect, cached);
    }
    const { query, isInOrder } = cached;
    const parameters = isInOrder
      ? values
      : query.parameters.map((slot) => (slot instanceof Slot ? values[slot.index] : slot));
    const bound = { sql: query.sql, query: query.query, queryId: createQueryId(), parameters, sent, orElse };
    const { rows } = await executor.executeQuery<Row>(bound);
    if (orElse && rows.length === 0 && !isPostgres(db)) throw orElse();
    return rows;
  };
}

const isPostgres = (db: Query): boolean => db.getExecutor().adapter instanceof PostgresAdapter;

/** Runs the statement of this shape: `build` makes it, with these parameters. */
export type RunShape = <Row>(
  db: Query,
  shape: string,
  parameters: readonly unknown[],
  build: () => RawBuilder<Row>,
) => Promise<readonly Row[]>;

/** The same for statements whose text follows from a shape, apart from their parameters: rendered once for each shape. */
export function shapedStatements(maxShapes: number): RunShape {
  const rendered = createLruCache<CompiledQuery>(maxShapes);
  return async <Row>(db: Query, shape: string, parameters: readonly unknown[], build: () => RawBuilder<Row>) => {
    // The shape determines the rows.
    let query = rendered.get(shape) as CompiledQuery<Row> | undefined;
    if (!query) {
      query = build().compile(db);
      // Otherwise it has values that the caller does not know of.
      if (!isDeepStrictEqual(query.parameters, parameters)) return (await db.executeQuery<Row>(query)).rows;
      rendered.set(shape, query);
    }
    const bound = { sql: query.sql, query: query.query, queryId: createQueryId(), parameters };
    return (await db.getExecutor().executeQuery<Row>(bound)).rows;
  };
}

const maxColumnLists = 1_000;

/** The same for a statement whose table and columns vary: rendered once for each table and list of columns. */
export function columnStatement<Row>(
  build: (table: string, columns: readonly string[], slots: readonly RawBuilder<unknown>[]) => RawBuilder<Row>,
  options: Pick<SentQuery, 'sent'> = {},
): (db: Query, table: string, columns: readonly string[], values: readonly unknown[]) => Promise<Row[]> {
  const rendered = createLruCache<Statement<unknown[], Row>>(maxColumnLists);
  return (db, table, columns, values) => {
    const key = `${table} ${columns.join()}`;
    let run = rendered.get(key);
    if (!run) {
      run = statement((...slots) => build(table, columns, slots), options);
      rendered.set(key, run);
    }
    return run(db, ...values);
  };
}
