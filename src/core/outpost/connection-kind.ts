import type { Call } from '../../resource/call.ts';
import type { Resource } from '../../resource/resource.ts';
import type { Kind } from '../kind/kind.ts';
import type { Platform } from './platform.ts';

/** A way to reach a platform that runs outposts. */
export interface ConnectionKind extends Kind {
  readonly resource: Resource;
  readonly askState: FetchState;
  /** Deploys outposts there; absent if the kind cannot. */
  readonly platform?: Platform;
}

export interface ConnectionState {
  readonly healthy: boolean;
  /** The version that the platform reports; empty when unreachable. */
  readonly version: string;
}

/** Asks the platform for its state. An unreachable platform is a state, not an error. */
export type FetchState = (pk: string, call: Call) => Promise<ConnectionState>;

export const unreachable: ConnectionState = { healthy: false, version: '' };
