import type { Kind } from '../core/kind/kind.ts';
import type { MappingKind } from '../core/mapping/mapping-kind.ts';
import type { ConnectionKind } from '../core/outpost/connection-kind.ts';
import type { DeviceKind } from '../flow/devices/device-kind.ts';
import { createFlowReads, type FlowReads } from '../flow/executor/flow-reads.ts';
import type { StageKind } from '../flow/executor/stage-kind.ts';
import type { PasswordBackend } from '../flow/passwords/password-backend.ts';
import type { ProtocolKind } from '../flow/protocol-kind.ts';
import type { TransportKind } from '../notify/transport-kind.ts';
import type { Query } from '../platform/db/database.ts';
import type { Jobs } from '../platform/jobs/job.ts';
import { createPolicyEngine, type PolicyEngine } from '../policy/engine.ts';
import type { PolicyKind, SignInAttempt } from '../policy/kind.ts';
import type { ProviderKind } from '../provider/provider-kind.ts';
import type { Call } from '../resource/call.ts';
import { createAppendSteps } from '../source/append-steps.ts';
import type { SourceKind } from '../source/source-kind.ts';
import type { World } from './world.ts';

/** A kind in the catalogue: the kind itself, or a factory. */
type Listed<Made, Needs = World> = Made | ((needs: Needs) => Made);

export interface KindLists {
  readonly policies: readonly Listed<PolicyKind>[];
  readonly mappings: readonly Listed<MappingKind>[];
  readonly transports: readonly Listed<TransportKind>[];
  readonly connections: readonly Listed<ConnectionKind>[];
  readonly sources: readonly Listed<SourceKind, ActingWorld>[];
  readonly providers: readonly Listed<ProviderKind, ActingWorld>[];
  readonly devices: readonly Listed<DeviceKind, ActingWorld>[];
  readonly stages: readonly Listed<StageKind, StageWorld>[];
}

/** The dependencies of kinds. */
export interface ActingWorld extends World {
  readonly policies: PolicyEngine;
  /** Whether browsers reach the server over TLS. */
  readonly isSecure: boolean;
  jobs(): Jobs;
}

/** Stages use other kinds by their contracts: they offer sources, request devices, and report attempts to policies. */
export interface StageWorld extends ActingWorld {
  readonly sourceKinds: readonly SourceKind[];
  readonly deviceKinds: readonly DeviceKind[];
  readonly passwordBackends: readonly PasswordBackend[];
  noteAttempt(tx: Query, attempt: SignInAttempt, call: Call): Promise<void>;
}

/** All kinds, each created once, and the engines built from them. */
export interface Kinds {
  readonly policyKinds: readonly PolicyKind[];
  readonly policies: PolicyEngine;
  readonly flows: FlowReads;
  readonly mappingKinds: readonly MappingKind[];
  readonly transports: readonly TransportKind[];
  readonly connectionKinds: readonly ConnectionKind[];
  readonly sourceKinds: readonly SourceKind[];
  readonly providerKinds: readonly ProviderKind[];
  readonly deviceKinds: readonly DeviceKind[];
  readonly stageKinds: readonly StageKind[];
  readonly passwordBackends: readonly PasswordBackend[];
  /** Sources and providers. */
  readonly protocolKinds: readonly Omit<ProtocolKind, 'demo'>[];
  /** Kinds of all families, for what any of them may add. */
  readonly all: readonly Omit<Kind, 'demo'>[];
}

export function createKinds(world: World, lists: KindLists, jobs: () => Jobs): Kinds {
  const policyKinds = made(lists.policies, world);
  const policies = createPolicyEngine(policyKinds);
  const acting: ActingWorld = { ...world, policies, isSecure: world.config.publicUrl.startsWith('https:'), jobs };
  const append = createAppendSteps();
  const sourceKinds = made(lists.sources, acting).map((kind) => ({ append, ...kind }));
  const providerKinds = made(lists.providers, acting);
  const deviceKinds = made(lists.devices, acting);
  const noteAttempt = async (tx: Query, attempt: SignInAttempt, call: Call) => {
    for (const kind of policyKinds) if (kind.noteAttempt) await kind.noteAttempt(tx, attempt, call);
  };
  const passwordBackends = sourceKinds.flatMap(({ passwords }) => passwords ?? []);
  const stageKinds = made(lists.stages, { ...acting, sourceKinds, deviceKinds, passwordBackends, noteAttempt });
  const mappingKinds = made(lists.mappings, world);
  const transports = made(lists.transports, world);
  const connectionKinds = made(lists.connections, world);
  const protocolKinds = [...sourceKinds, ...providerKinds];
  return {
    ...{ policyKinds, policies, mappingKinds, transports, connectionKinds, sourceKinds, providerKinds, deviceKinds },
    ...{ stageKinds, protocolKinds, passwordBackends },
    flows: createFlowReads(new URL(world.config.publicUrl).hostname),
    all: [
      ...policyKinds,
      ...mappingKinds,
      ...transports,
      ...connectionKinds,
      ...protocolKinds,
      ...deviceKinds,
      ...stageKinds,
    ],
  };
}

const made = <Made extends object, Needs>(listed: readonly Listed<Made, Needs>[], needs: Needs): Made[] =>
  listed.map((kind) => (typeof kind === 'function' ? kind(needs) : kind));
