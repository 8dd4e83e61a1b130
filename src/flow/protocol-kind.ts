import type { EvaluateAccess } from '../core/application/application-access.ts';
import type { Kind } from '../core/kind/kind.ts';
import type { SessionNeeds } from '../core/session/session-credential.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database, Query } from '../platform/db/database.ts';
import type { Hosted } from '../platform/http/hosted.ts';
import type { Route } from '../platform/http/route.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { PolicyEngine } from '../policy/engine.ts';
import type { Actor } from '../resource/access/actor.ts';
import type { AnonymousLimit } from '../resource/access/anonymous-limit.ts';
import type { Call, NewEvent, ResourceWorld } from '../resource/call.ts';
import type { Engine, Registry, Resource } from '../resource/resource.ts';
import type { Executor } from './executor/executor.ts';
import type { FlowReads } from './executor/flow-reads.ts';
import type { FlowState } from './executor/flow-state.ts';
import type { FindLogoutRedirect } from './executor/logout-redirects.ts';
import type { PlanStep } from './plan.ts';

/** A kind with a protocol: the common part of sources and providers. */
export interface ProtocolKind extends Kind {
  readonly resource: Resource;
  /** The protocol's routes, for browsers and programs. */
  routes?(server: RouteServer): readonly Route[];
  /** Whole hosts that this kind serves in front of all routes. */
  hosted?(server: RouteServer): Hosted;
  /** Serves the protocol on ports of its own, as the settings name them. */
  listeners?(server: RouteServer): readonly Listener[];
  /**
   * Carries out a step that this kind put into a plan (`PlanStep.kind` is the model of its resource), in the
   * transaction that ends the flow. Throws `Problem` if its preconditions no longer hold.
   */
  readonly append?: AppendStep;
  /** The redirect at sign-out to clients that only the browser can notify. */
  readonly findLogoutRedirect?: FindLogoutRedirect;
  /** Sees each event in the transaction that records it, to queue work or to write to an outbox. */
  afterEvent?(tx: Query, call: Call, event: NewEvent): Promise<void>;
  /** The keys that enabled objects of this kind publish, to verify tokens that other parties sign with them. */
  keySets?(objects: readonly string[], query: Query): Promise<readonly KeySet[]>;
  /** The access tokens that a user has at these objects, by their slugs; renewed where they have expired. */
  accessTokens?(wanted: WantedTokens, call: Call, registry: Registry): Promise<Readonly<Record<string, string>>>;
  /** The actor of a bearer token; null if the token is invalid or not of this kind. */
  actorOfBearer?(token: string, now: string): Promise<Actor | null>;
}

/** A server for another protocol than HTTP. */
export interface Listener {
  /** For the log: `LDAP`. */
  readonly name: string;
  /** The settings that name its address, for messages. */
  readonly setting: string;
  readonly host: string;
  readonly port: number;
  /** Resolves with the address when it accepts connections. */
  listen(): Promise<string>;
  /** Ends all connections. */
  close(): Promise<void>;
}

export interface WantedTokens {
  readonly user: number;
  /** The keys of the objects. */
  readonly objects: readonly string[];
}

/** Keys as a JWKS, or the address of one; stored keys win. */
export interface KeySet {
  /** The key of the object that publishes them. */
  readonly source: string;
  readonly jwks: string;
  readonly url: string;
  /**
   * Whether a token with these claims is known to be of another issuer. Services with many tenants sign for all of them
   * with the same keys.
   */
  isForeign(claims: { readonly iss?: unknown; readonly tid?: unknown }): boolean;
}

export type AppendStep = (step: PlanStep, state: FlowState, tx: Query, call: Call, registry: Registry) => Promise<void>;

/** The parts of the composed server that route handlers need. */
export interface RouteServer {
  readonly db: Database;
  readonly clock: Clock;
  readonly world: ResourceWorld;
  readonly engine: Engine;
  readonly policies: PolicyEngine;
  readonly sessions: SessionNeeds;
  readonly anonymous: AnonymousLimit;
  readonly executor: Executor;
  readonly metrics: Pick<Metrics, 'countRadiusRequest'>;
  readonly flows: FlowReads;
  readonly evaluateAccess: EvaluateAccess;
  /** The detours of all kinds. */
  readonly findLogoutRedirect: FindLogoutRedirect;
  /** The key sets that objects of all kinds publish. */
  keySets(objects: readonly string[], query: Query): Promise<readonly KeySet[]>;
  /** The access tokens that a user has at objects of all kinds. */
  accessTokens(wanted: WantedTokens, call: Call): Promise<Readonly<Record<string, string>>>;
  /** The sign-in page of this host, which returns to `next`. */
  signInPath(host: string, query: Query, next: string | null): Promise<string>;
}
