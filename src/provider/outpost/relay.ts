import type { HttpCall } from '../../platform/http/routes.ts';
import type { OutpostFacts } from './authenticate-outpost.ts';
import type { RelayAnswer } from './relayed-request.ts';

/** Handles a request that came to an outpost, for the providers that the outpost serves. */
export type Relay = (outpost: OutpostFacts, http: HttpCall) => Promise<RelayAnswer>;
