import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RequestFacts } from './request-facts.ts';
import type { HttpResponse } from './routes.ts';

/** Hosts other than our own, all of whose paths another handler serves. Requests and responses are streamed. */
export interface Hosted {
  /** Null if the host is not one of them: then our routes serve the request. */
  serve(request: HostedRequest & { readonly response: ServerResponse }): Promise<HttpResponse | null>;
  /** The same for requests that leave HTTP, such as WebSockets. */
  upgrade(request: HostedRequest & { readonly socket: Duplex; readonly head: Buffer }): Promise<HttpResponse | null>;
  /** Whether a host may be one of them, without asking the database. */
  isForeign(facts: RequestFacts): boolean;
}

export interface HostedRequest {
  readonly facts: RequestFacts;
  readonly raw: IncomingMessage;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
}
