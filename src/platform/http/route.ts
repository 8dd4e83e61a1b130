import type { AnswerCall } from './routes.ts';

/** An address that is served, as a kind declares it. Paths are the router's (`/a/{slug}/`, `/b/*`). */
export interface Route {
  readonly methods: readonly string[];
  readonly path: string;
  readonly handle: AnswerCall;
}
