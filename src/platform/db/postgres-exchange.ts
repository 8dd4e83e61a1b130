import pg from 'pg';
import { postgresTypes } from './postgres-values.ts';

/** A statement for PostgreSQL. */
export interface Statement {
  readonly text: string;
  /** The name to prepare it under; empty to have it planned for this call alone. */
  readonly name: string;
  readonly values: (string | null)[];
}

export interface Result {
  readonly rows: Record<string, unknown>[];
  /** What was done, in PostgreSQL's words: `SELECT 5`, `COMMIT`. */
  command: string;
}

/** How to read the rows of a statement. */
interface Columns {
  readonly names: readonly string[];
  readonly parsers: readonly ((text: string) => unknown)[];
  /** A row without values: all rows get its shape. */
  readonly blank: Record<string, unknown>;
}

/**
 * What a connection has prepared, by name. The columns are null until PostgreSQL has described them. They cannot change after that: it refuses to
 * run a prepared statement whose columns have changed.
 */
export type Prepared = Map<string, Columns | null>;

const noColumns: Columns = { names: [], parsers: [], blank: {} };

interface Description {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}

/**
 * Statements that go to PostgreSQL in one packet and come back in one; after one that fails, the rest are skipped. A query of `pg` ends
 * with a flush on both sides and has its columns described each time. `pg` calls the methods below for each message of the response, as it does for
 * cursors; only `handleParseComplete` is ours.
 */
export class Exchange implements pg.Submittable {
  readonly done: Promise<Result[]>;
  readonly #statements: readonly Statement[];
  readonly #prepared: Prepared;
  readonly #results: Result[];
  #at = 0;
  #columns: Columns | null = null;
  #failure: unknown = null;
  #settle: { resolve(results: Result[]): void; reject(error: unknown): void };

  constructor(statements: readonly Statement[], prepared: Prepared) {
    const { promise, ...settle } = Promise.withResolvers<Result[]>();
    this.done = promise;
    this.#settle = settle;
    this.#statements = statements;
    this.#prepared = prepared;
    this.#results = statements.map(() => ({ rows: [], command: '' }));
  }

  submit(connection: pg.Connection): void {
    const parsed = new Set<string>();
    connection.stream.cork();
    for (const { text, name, values } of this.#statements) {
      if (name === '' || !(this.#prepared.has(name) || parsed.has(name))) {
        connection.parse({ text, name, types: [] }, true);
        parsed.add(name);
      }
      connection.bind({ statement: name, values }, true);
      if (name === '' || !this.#prepared.get(name)) connection.describe({ type: 'P' }, true);
      connection.execute(null, true);
    }
    connection.sync();
    connection.stream.uncork();
  }

  get #name(): string {
    return this.#statements[this.#at]?.name ?? '';
  }

  handleParseComplete(): void {
    if (this.#name) this.#prepared.set(this.#name, null);
  }

  handleRowDescription({ fields }: Description): void {
    this.#describe({
      names: fields.map(({ name }) => name),
      parsers: fields.map(({ dataTypeID }) => postgresTypes.getTypeParser(dataTypeID, 'text')),
      blank: Object.fromEntries(fields.map(({ name }) => [name, null])),
    });
  }

  #describe(columns: Columns): void {
    this.#columns = columns;
    if (this.#name) this.#prepared.set(this.#name, columns);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const { names, parsers, blank } = this.#columns ?? this.#prepared.get(this.#name) ?? noColumns;
    const row = { ...blank };
    try {
      for (const [index, name] of names.entries()) {
        const text = fields[index];
        if (typeof text === 'string') row[name] = parsers[index]?.(text);
      }
    } catch (error) {
      // Thrown from here, it would end the process.
      this.#failure ??= error;
    }
    this.#results[this.#at]?.rows.push(row);
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    // One that returns no rows is described by silence.
    if (!this.#columns && !this.#prepared.get(this.#name)) this.#describe(noColumns);
    const result = this.#results[this.#at];
    if (result) result.command = text;
    this.#columns = null;
    this.#at += 1;
  }

  handleReadyForQuery(): void {
    if (this.#failure === null) this.#settle.resolve(this.#results);
    else this.#settle.reject(this.#failure);
  }

  /** PostgreSQL says in which state the connection is after an error, so the error waits for that, or for the connection's end. */
  handleError(error: unknown, connection: pg.Connection): void {
    const fail = () => {
      connection.off('readyForQuery', fail).off('end', fail);
      this.#settle.reject(error);
    };
    if (error instanceof pg.DatabaseError) connection.on('readyForQuery', fail).on('end', fail);
    else fail();
  }
}
