import type { EvaluateAccess } from '../../../../core/application/application-access.ts';
import type { BeginNeeds } from '../../../../flow/executor/begin-planned.ts';
import type { Query } from '../../../../platform/db/database.ts';
import type { OAuthNeeds } from '../needs.ts';

/** What the endpoints need that people come to with a browser. */
export interface BrowserNeeds extends OAuthNeeds, BeginNeeds {
  readonly evaluateAccess: EvaluateAccess;
  /** Where people sign in who come by this host, to come back to `next`. */
  signInPath(host: string, query: Query, next: string): Promise<string>;
}
