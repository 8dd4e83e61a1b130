import type { SessionNeeds } from '../../../core/session/session-credential.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import type { NetworkLimit } from '../../../platform/limits/rate-limit.ts';
import type { AuthorizationDependencies } from '../../../provider/authorize/dependencies.ts';
import type { OutpostFacts } from '../../../provider/outpost/authenticate-outpost.ts';
import type { SignOutNeeds } from '../../../provider/sign-out.ts';
import type { AnonymousLimit } from '../../../resource/access/anonymous-limit.ts';
import type { ResourceWorld } from '../../../resource/call.ts';
import type { IdentityNeeds } from './identity.ts';
import type { Programs } from './programs.ts';
import type { Recheck } from './recheck.ts';

/** What serving protected applications needs of the server. */
export interface ProxyNeeds extends AuthorizationDependencies, SignOutNeeds, IdentityNeeds {
  readonly db: Database;
  readonly clock: { now(): string };
  readonly world: ResourceWorld;
  readonly key: InstanceKey;
  readonly publicUrl: string;
  readonly sessions: SessionNeeds;
  readonly anonymous: AnonymousLimit;
  readonly recheck: Recheck;
  readonly programs: Programs;
  readonly testLookups: NetworkLimit;
  /** The outpost whose process sent the request; null: it came to this server. */
  readonly outpost: OutpostFacts | null;
}
