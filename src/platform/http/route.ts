import type { HandleCall } from './routes.ts';

/** A route declared by a kind. Paths are the router's (`/a/{slug}/`, `/b/*`). */
export interface Route {
  readonly methods: readonly string[];
  readonly path: string;
  readonly handle: HandleCall;
}
