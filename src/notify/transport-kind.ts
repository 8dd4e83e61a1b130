import type { EventMessages } from '../core/event/messages.ts';
import { sentenceOf } from '../core/event/sentence.ts';
import type { Kind } from '../core/kind/kind.ts';
import type { UserFacts } from '../core/mapping/user-facts.ts';
import type { Json } from '../lib/json.ts';
import type { Language } from '../lib/texts/languages.ts';
import type { Query } from '../platform/db/database.ts';
import type { JobWarning } from '../platform/jobs/job.ts';

/** A channel for notifications. */
export interface TransportKind extends Kind {
  readonly mode: string;
  /** What administrators read. */
  readonly name: string;
  /** False if the server is not set up for it: rules use their other transports. */
  isReady?(): Promise<boolean>;
  /** Whether it reaches only users with an e-mail address. */
  readonly needsAddress?: boolean;
  /**
   * Runs outside any transaction. Throws an `Undelivered` if the message did not arrive; returns a description of the
   * result.
   */
  send?(message: Message, transport: StoredTransport): Promise<string | JobWarning>;
  /** Runs in a transaction, for transports that only store. */
  store?(message: Message, tx: Query): Promise<string>;
}

export interface StoredTransport {
  readonly pk: string;
  readonly name: string;
  readonly mode: string;
  readonly webhook_url: string;
  /** The mapping that makes the body of a webhook. */
  readonly expression: string | null;
}

export interface Message {
  /** The same at each attempt to deliver it. */
  readonly pk: string;
  readonly severity: string;
  /** In English, for programs. */
  readonly body: string;
  /** In the language of the recipient. */
  readonly text: string;
  readonly now: string;
  readonly user: UserFacts;
  /** Null when a transport is only tried. */
  readonly event: EventFacts | null;
}

/** An event as policies, mappings and transports see it. */
export type EventFacts = {
  readonly pk: string;
  readonly action: string;
  readonly app: string;
  readonly context: { readonly [name: string]: Json };
  readonly user: { readonly [name: string]: Json };
  readonly client_ip: string | null;
  readonly created: string;
  readonly brand: Json;
};

/** A message did not arrive, for a reason that administrators may read. */
export class Undelivered extends Error {}

/** A permanent failure: retrying is pointless. */
export class Undeliverable extends Undelivered {}

const maxBodyLength = 4_000;

/** The text of a notification. */
export const summaryOf = (language: Language, event: EventFacts, messages: EventMessages | null): string =>
  sentenceOf(language, { ...event, messages }).slice(0, maxBodyLength);
