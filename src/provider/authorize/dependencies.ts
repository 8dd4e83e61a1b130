import type { EvaluateAccess } from '../../core/application/application-access.ts';
import type { StartDependencies } from '../../flow/executor/start-planned-flow.ts';
import type { Query } from '../../platform/db/database.ts';
import type { ClientApplication } from '../client-application.ts';
import type { Denials } from './denials.ts';

/** What the way from "an application asks" to "this person may" needs of the server. */
export interface AuthorizationDependencies extends StartDependencies {
  readonly evaluateAccess: EvaluateAccess;
  readonly refusals: { readonly denied: Denials };
  /** Where people sign in who come by this host, to come back to `next`. */
  signInPath(host: string, query: Query, next: string): Promise<string>;
}

/** Who asks: a provider with the application that uses it. */
export interface RequestingProvider {
  readonly pk: number;
  readonly authentication_flow: string | null;
  readonly authorization_flow: string | null;
  readonly application: ClientApplication;
}
