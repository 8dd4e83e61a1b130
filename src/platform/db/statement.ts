import { isDeepStrictEqual } from 'node:util';
import { type CompiledQuery, createQueryId, PostgresAdapter, type RawBuilder, sql } from 'kysely';
import { createLruCache } from '../../lib/lru-cache.ts';
import type { Query } from './database.ts';
import type { Dialect } from './dialect.ts';
import { postgresDialect } from './postgres/dialect.ts';
import { sqliteDialect } from './sqlite/dialect.ts';

/** Runs the statement with these values. */
export type Statement<Values extends readonly unknown[], Row> = (db: Query, ...values: Values) => Promise<Row[]>;

type Slots<Values extends readonly unknown[]> = { readonly [K in keyof Values]: RawBuilder<unknown> };

interface Rendered<Row> {
  readonly query: CompiledQuery<Row>;
  /** The parameters are the values in order. */
  readonly isInOrder: boolean;
}

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
export const statement = <Values extends readonly unknown[], Row>(
  build: (...slots: Slots<Values>) => RawBuilder<Row>,
): Statement<Values, Row> => dialectStatement((_, ...slots: Slots<Values>) => build(...slots));

/** The same for a statement whose text differs between dialects. */
export function dialectStatement<Values extends readonly unknown[], Row>(
  build: (dialect: Dialect, ...slots: Slots<Values>) => RawBuilder<Row>,
): Statement<Values, Row> {
  const rendered = new Map<Dialect, Rendered<Row>>();

  function render(db: Query, dialect: Dialect, count: number): Rendered<Row> {
    const slots = Array.from({ length: count }, (_, index) => sql.val(new Slot(index)));
    // One slot per value.
    const query = build(dialect, ...(slots as unknown as Slots<Values>)).compile(db);
    const { parameters } = query;
    const isInOrder =
      parameters.length === count && parameters.every((slot, at) => slot instanceof Slot && slot.index === at);
    return { query, isInOrder };
  }

  return async (db, ...values) => {
    const executor = db.getExecutor();
    const dialect = executor.adapter instanceof PostgresAdapter ? postgresDialect : sqliteDialect;
    let cached = rendered.get(dialect);
    if (!cached) {
      cached = render(db, dialect, values.length);
      rendered.set(dialect, cached);
    }
    const { query, isInOrder } = cached;
    const parameters = isInOrder
      ? values
      : query.parameters.map((slot) => (slot instanceof Slot ? values[slot.index] : slot));
    const bound = { sql: query.sql, query: query.query, queryId: createQueryId(), parameters };
    return (await executor.executeQuery<Row>(bound)).rows;
  };
}

/** Runs the statement of this shape: `build` makes it, with these parameters. */
export type RunShape = <Row>(
  db: Query,
  shape: string,
  parameters: readonly unknown[],
  build: () => RawBuilder<Row>,
) => Promise<readonly Row[]>;

/**
 * The same for statements whose text follows from a shape, apart from their parameters: rendered once for each shape.
 */
export function shapedStatements(maxShapes: number): RunShape {
  const rendered = createLruCache<CompiledQuery>(maxShapes);
  return async <Row>(db: Query, shape: string, parameters: readonly unknown[], build: () => RawBuilder<Row>) => {
    // The shape determines the rows.
    let query = rendered.get(shape) as CompiledQuery<Row> | undefined;
    if (!query) {
      query = build().compile(db);
      // Otherwise it has values that the caller did not pass.
      if (!isDeepStrictEqual(query.parameters, parameters)) return (await db.executeQuery<Row>(query)).rows;
      rendered.set(shape, query);
    }
    const bound = { sql: query.sql, query: query.query, queryId: createQueryId(), parameters };
    return (await db.getExecutor().executeQuery<Row>(bound)).rows;
  };
}
