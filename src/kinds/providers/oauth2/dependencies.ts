import type { RouteServer } from '../../../flow/protocol-kind.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { GuardedFetch } from '../../../platform/fetch/guarded-fetch.ts';
import type { RemoteKeys } from '../../../platform/fetch/remote-keys.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import type { PolicyEngine } from '../../../policy/engine.ts';
import type { Engine } from '../../../resource/resource.ts';
import type { ErrorEvents } from './error-events.ts';
import type { FailureCount } from './failure-count.ts';
import type { Signer } from './signing.ts';

/** What the protocol needs of the server. */
export interface OAuthDependencies {
  readonly db: Database;
  readonly key: InstanceKey;
  readonly publicUrl: string;
  readonly installId: string;
  readonly sandbox: Sandbox;
  readonly policies: PolicyEngine;
  readonly fetch: GuardedFetch;
  readonly engine: Engine;
  readonly remoteKeys: RemoteKeys;
  readonly keySets: RouteServer['keySets'];
  readonly accessTokens: RouteServer['accessTokens'];
  readonly signer: Signer;
  readonly failures: FailureCount;
  readonly refusals: ErrorEvents;
}
