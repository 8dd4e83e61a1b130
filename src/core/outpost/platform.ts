import type { JsonObject } from '../../lib/json.ts';
import type { Call } from '../../resource/call.ts';

/** A platform that runs outposts, as a kind of service connection reaches it. Its methods throw `DeploymentError`. */
export interface Platform {
  /** The part of the platform that the settings of an outpost name, such as a namespace; empty if there are none. */
  placeOf(config: JsonObject): string;
  /** Creates what is missing and changes what differs; other objects stay as they are. Returns the state. */
  deploy(outpost: OutpostToDeploy, work: DeploymentWork): Promise<string>;
  /** Deletes what was deployed for an outpost in a place; succeeds if there is nothing. */
  remove(outpost: string, place: string, work: DeploymentWork): Promise<void>;
}

export interface DeploymentWork {
  /** The key of the connection. */
  readonly connection: string;
  readonly call: Call;
  /** Aborted when the server stops. */
  readonly signal: AbortSignal;
}

/** The process of an outpost, as every platform runs it. */
export interface OutpostToDeploy {
  readonly pk: string;
  /** The name for objects: lower-case letters, digits and hyphens. */
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The only secret: the value of `GATEHOUSE_TOKEN`. */
  readonly token: string;
  readonly ports: readonly OutpostPort[];
  /** Where browsers reach what it serves. */
  readonly hosts: readonly ServedHost[];
  readonly config: JsonObject;
}

export interface OutpostPort {
  readonly name: string;
  readonly published: number;
  readonly port: number;
  readonly protocol: 'tcp' | 'udp';
}

export interface ServedHost {
  readonly host: string;
  readonly isSecure: boolean;
  readonly path: string;
}

/** The port of the process for HTTP, which every type of outpost opens: for its health. */
export const httpPort = 9000;

/** Why an outpost cannot be deployed or removed. The message is for administrators and holds no secret. */
export class DeploymentError extends Error {
  override readonly name = 'DeploymentError';
}
