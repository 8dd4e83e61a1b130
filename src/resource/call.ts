import { Problem } from '../lib/problem.ts';
import type { Database, Query } from '../platform/db/database.ts';
import type { Upload } from '../platform/http/read-upload.ts';
import type { RequestFacts } from '../platform/http/request-facts.ts';
import type { Actor } from './actor.ts';

export interface NewEvent {
  readonly action: string;
  readonly context: Record<string, unknown>;
  /** The emitter; the model's app unless said otherwise. */
  readonly app: string;
  /** Recorded only: no notification rule is asked about it. */
  readonly isQuiet?: boolean;
}

/** One call of an operation. */
export interface Call {
  readonly actor: Actor | null;
  readonly request: RequestFacts;
  readonly params: Readonly<Record<string, string>>;
  readonly now: string;
  readonly db: Database;
  readonly world: ResourceWorld;
  /** The parsed JSON body; `{}` when there is none. Parsed when first asked for. */
  body(): unknown;
  /** The parts of a multipart body. */
  upload(): Promise<Upload | null>;
}

/** What the engine needs from the layers above and below it. */
export interface ResourceWorld {
  seal(text: string, context: string): string;
  open(sealed: string, context: string): string;
  /** Makes an object of this model a target of policy bindings, under this key. */
  storeTarget(tx: Query, key: string, model: string): Promise<void>;
  /** Whether this call may cause one more row of the table: what anonymous calls store is bounded. */
  admit(table: string, call: Pick<Call, 'actor' | 'request'>): Promise<boolean>;
  /** Makes room for one more row in a bounded table: those that expire first are evicted when it is full. */
  makeRoom(table: string, tx: Query): Promise<void>;
  /** Writes an audit event in the transaction of the change it tells of. */
  record(tx: Query, call: Call, event: NewEvent): Promise<void>;
}

export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

export function requireActor(call: Call): Actor {
  if (!call.actor) throw new Problem('not_authenticated');
  return call.actor;
}
