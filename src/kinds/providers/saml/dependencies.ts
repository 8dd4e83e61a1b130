import type { Database } from '../../../platform/db/database.ts';
import type { Jobs } from '../../../platform/jobs/job.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import type { AuthorizationDependencies } from '../../../provider/authorize/dependencies.ts';
import type { SignOutNeeds } from '../../../provider/sign-out.ts';
import type { SamlErrorEvents } from './error-events.ts';
import type { KeyOf } from './signing-key.ts';

/** What the protocol needs of the server. */
export interface SamlDependencies extends Omit<AuthorizationDependencies, 'refusals'>, SignOutNeeds {
  readonly db: Database;
  readonly key: InstanceKey;
  readonly publicUrl: string;
  readonly installId: string;
  readonly sandbox: Sandbox;
  readonly keyOf: KeyOf;
  readonly refusals: SamlErrorEvents;
  jobs(): Jobs;
}
