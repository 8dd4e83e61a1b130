import type { EvaluateAccess } from '../../core/application/application-access.ts';
import type { Executor } from '../../flow/executor/executor.ts';
import type { FlowReads } from '../../flow/executor/flow-reads.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import type { Log } from '../../platform/log.ts';
import type { Passwords } from '../../platform/passwords.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import type { PolicyEngine } from '../../policy/engine.ts';
import type { ResourceWorld } from '../../resource/call.ts';
import type { Engine } from '../../resource/resource.ts';
import type { Denials } from '../authorize/denials.ts';

/** What a server for programs that send a name and a password needs of the rest. */
export interface ServerNeeds {
  readonly db: Database;
  readonly log: Log;
  readonly key: InstanceKey;
  readonly clock: Clock;
  readonly installId: string;
  readonly passwords: Passwords;
  readonly sandbox: Sandbox;
  readonly world: ResourceWorld;
  readonly engine: Engine;
  readonly policies: PolicyEngine;
  readonly executor: Executor;
  readonly flows: FlowReads;
  readonly evaluateAccess: EvaluateAccess;
  readonly denied: Denials;
}
