import type { EvaluateAccess } from '../../core/application/application-access.ts';
import type { StartDependencies } from '../../flow/executor/start-planned-flow.ts';
import type { Query } from '../../platform/db/database.ts';
import type { ClientApplication } from '../client-application.ts';
import type { Denials } from './denials.ts';

/** The dependencies of authorization, from the request of an application to the decision. */
export interface AuthorizationDependencies extends StartDependencies {
  readonly evaluateAccess: EvaluateAccess;
  readonly refusals: { readonly denied: Denials };
  /** The sign-in page for this host, which redirects to `next`. */
  signInPath(host: string, query: Query, next: string): Promise<string>;
}

/** The requesting provider, with its application. */
export interface RequestingProvider {
  readonly pk: number;
  readonly authentication_flow: string | null;
  readonly authorization_flow: string | null;
  readonly application: ClientApplication;
}
