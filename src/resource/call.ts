import { Problem } from '../lib/problem.ts';
import type { Database, Query } from '../platform/db/database.ts';
import type { Actor } from './actor.ts';

/** What is known of the HTTP request behind a call. */
export interface RequestFacts {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly clientIp: string;
  readonly userAgent: string;
  readonly host: string;
  /** Whether it came over TLS, to us or to a proxy that is believed. */
  readonly isSecure: boolean;
  readonly cookies: Readonly<Record<string, string | undefined>>;
  header(name: string): string | undefined;
}

export interface NewEvent {
  readonly action: string;
  readonly context: Record<string, unknown>;
  /** The emitter; the model's app unless said otherwise. */
  readonly app: string;
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

export interface Upload {
  readonly filename: string;
  readonly type: string;
  readonly bytes: Buffer;
  readonly fields: Readonly<Record<string, string>>;
}

/** What the engine needs from the layers above and below it. */
export interface ResourceWorld {
  seal(text: string, context: string): string;
  open(sealed: string, context: string): string;
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
