import { Problem } from '../lib/problem.ts';
import type { Database, Query } from '../platform/db/database.ts';
import type { Upload } from '../platform/http/read-upload.ts';
import type { RequestFacts } from '../platform/http/request-facts.ts';
import type { HttpCall } from '../platform/http/routes.ts';
import type { Actor } from './access/actor.ts';

export interface NewEvent {
  readonly action: string;
  readonly context: Record<string, unknown>;
  /** The app that emits the event; by default the model's. */
  readonly app: string;
  /** Recorded only: no notification rule is evaluated. */
  readonly isQuiet?: boolean;
}

export interface Call {
  readonly actor: Actor | null;
  readonly request: RequestFacts;
  readonly params: Readonly<Record<string, string>>;
  readonly now: string;
  readonly db: Database;
  readonly world: ResourceWorld;
  /** The transaction that the call is a part of; by default a write has its own. */
  readonly tx?: Query;
  /** The JSON body, parsed on first use; `{}` if there is none. */
  body(): unknown;
  /** The parts of a multipart body. */
  upload(): Promise<Upload | null>;
}

type Brought = Pick<Call, 'now'> & Partial<Pick<Call, 'actor' | 'body' | 'upload'>>;

const noBody = () => ({});
const noUpload = async () => null;

/** A request as a call: anonymous and without a body by default. */
export const callOf = (
  { facts, params }: Pick<HttpCall, 'facts' | 'params'>,
  { db, world }: Pick<Call, 'db' | 'world'>,
  { now, actor = null, body = noBody, upload = noUpload }: Brought,
): Call => {
  if (actor) world.raiseBudget();
  return { actor, request: facts, params, now, db, world, body, upload };
};

/** The same call, which reads by this query. */
export const readBy = (call: Call, read: Query): Call => ({ ...call, db: { ...call.db, read } });

/** What the engine needs from the layers above and below it. */
export interface ResourceWorld {
  /** The host name of our own addresses. */
  readonly publicHost: string;
  seal(text: string, context: string): string;
  open(sealed: string, context: string): string;
  /** Makes an object of this model a target of policy bindings, under this key. */
  storeTarget(tx: Query, key: string, model: string): Promise<void>;
  /** Deletes the permissions that users and roles have on an object of these models that is deleted. */
  deleteGrantsOn(tx: Query, models: readonly string[], pk: string | number): Promise<void>;
  /** Whether this call may add a row to the table: rows of anonymous callers are limited. */
  tryReserve(table: string, call: Pick<Call, 'actor' | 'request'>): Promise<boolean>;
  /** Makes room in a bounded table: if it is full, the rows that expire first are evicted. */
  evictOldest(table: string, tx: Query): Promise<void>;
  /** The caller of the current request has authenticated, so its expressions may take longer. */
  raiseBudget(): void;
  /** Writes an audit event in the transaction of the change. */
  record(tx: Query, call: Call, event: NewEvent): Promise<void>;
}

export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** For the log, if the server failed in spite of the status. */
  readonly fault?: unknown;
}

export function requireActor(call: Call): Actor {
  if (!call.actor) throw new Problem('not_authenticated');
  return call.actor;
}
