import type { OpenFetch } from '../../../core/outpost/fetch-version.ts';
import { DeploymentError, type DeploymentWork } from '../../../core/outpost/platform.ts';
import { type PlatformRequest, withPlatform } from '../../../core/outpost/platform-api.ts';
import { asObject, asText, type JsonObject } from '../../../lib/json.ts';
import type { OutboundResponse } from '../../../platform/fetch/guarded-fetch.ts';
import { findEngine } from './engine-address.ts';

/** The operations of the Docker Engine API that deploying takes. */
export interface Engine {
  /** The containers with a label, stopped ones included, as `inspect` describes them. */
  list(label: string): Promise<JsonObject[]>;
  /** By id or name; null if there is none. */
  inspect(container: string): Promise<JsonObject | null>;
  /** Returns the id. Errors do not show the secret that the body holds. */
  create(name: string, body: JsonObject, secret: string): Promise<string>;
  start(id: string): Promise<void>;
  restart(id: string): Promise<void>;
  rename(id: string, name: string): Promise<void>;
  /** Stops it if it runs; succeeds if there is none. */
  remove(id: string): Promise<void>;
  hasImage(image: string): Promise<boolean>;
  /** Returns the complaint of the registry, if any. */
  pull(repository: string, tag: string): Promise<string>;
}

/** The version that this client is written for; engines of other versions are addressed by the nearest they have. */
const knownVersion = '1.44';
const stopSeconds = 10;
/** Stopping waits for the process. */
const slowMs = 60_000;
const pullMs = 10 * 60_000;
/** Of an engine that does not filter. */
const maxContainers = 1_000;

export function idOf({ Id }: JsonObject): string {
  if (typeof Id === 'string' && /^[\w.-]{1,128}$/.test(Id)) return Id;
  throw new DeploymentError('The engine has a container without a valid id.');
}

export async function withEngine<T>(
  open: OpenFetch,
  { connection, call, signal }: DeploymentWork,
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  const address = await findEngine(connection, call);
  if (!address) throw new DeploymentError('The connection has neither a socket nor an address with https.');
  return withPlatform(open, address, signal, async (send) => {
    const version = versionFor(asObject((await send({ method: 'GET', path: 'version', expect: [200] })).json()));
    return work(engineBy((request) => send({ ...request, path: `v${version}/${request.path}` })));
  });
}

function versionFor({ ApiVersion, MinAPIVersion }: JsonObject): string {
  const [newest, oldest] = [ApiVersion, MinAPIVersion].map(asText);
  if (newest === undefined || !/^1\.\d{1,3}$/.test(newest))
    throw new DeploymentError('The server does not respond like the Docker Engine API.');
  if (minorOf(newest) < minorOf(knownVersion)) return newest;
  return oldest && /^1\.\d{1,3}$/.test(oldest) && minorOf(oldest) > minorOf(knownVersion) ? oldest : knownVersion;
}

const minorOf = (version: string): number => Number(version.split('.')[1]);

function engineBy(send: (request: PlatformRequest) => Promise<OutboundResponse>): Engine {
  const at = (container: string) => `containers/${encodeURIComponent(container)}`;
  const inspect = async (container: string) => {
    const answer = await send({ method: 'GET', path: `${at(container)}/json`, expect: [200, 404] });
    return answer.status === 404 ? null : asObject(answer.json());
  };
  return {
    inspect,
    async list(label) {
      const query = { all: 'true', filters: JSON.stringify({ label: [label] }) };
      const found = (await send({ method: 'GET', path: 'containers/json', query, expect: [200] })).json();
      const ids = (Array.isArray(found) ? found : []).map((one) => idOf(asObject(one)));
      if (ids.length > maxContainers) throw new DeploymentError('The engine lists too many containers.');
      const containers: JsonObject[] = [];
      for (const id of ids) {
        const container = await inspect(id);
        if (container) containers.push(container);
      }
      return containers;
    },
    async create(name, body, secret) {
      const request = { method: 'POST', path: 'containers/create', query: { name }, body, secret } as const;
      const answer = await send({ ...request, expect: [201, 409] });
      if (answer.status === 409) throw new DeploymentError(`A container named ${name} has appeared meanwhile.`);
      return idOf(asObject(answer.json()));
    },
    async start(id) {
      await send({ method: 'POST', path: `${at(id)}/start`, expect: [204, 304], timeoutMs: slowMs });
    },
    async restart(id) {
      const query = { t: String(stopSeconds) };
      await send({ method: 'POST', path: `${at(id)}/restart`, query, expect: [204], timeoutMs: slowMs });
    },
    async rename(id, name) {
      await send({ method: 'POST', path: `${at(id)}/rename`, query: { name }, expect: [204] });
    },
    async remove(id) {
      const query = { t: String(stopSeconds) };
      const stop = { method: 'POST', path: `${at(id)}/stop`, query, expect: [204, 304, 404] } as const;
      if ((await send({ ...stop, timeoutMs: slowMs })).status === 404) return;
      const removal = { method: 'DELETE', path: at(id), query: { v: 'true', force: 'true' } } as const;
      await send({ ...removal, expect: [204, 404], timeoutMs: slowMs });
    },
    async hasImage(image) {
      const answer = await send({ method: 'GET', path: `images/${image}/json`, expect: [200, 404] });
      return answer.status === 200;
    },
    async pull(repository, tag) {
      const query = { fromImage: repository, tag };
      const request = { method: 'POST', path: 'images/create', query, timeoutMs: pullMs } as const;
      const answer = await send({ ...request, expect: [200, 404, 500] });
      // Progress, one JSON document per line; errors come there, too.
      const lines = answer.text().split('\n');
      return lines.map(complaintIn).findLast((complaint) => complaint !== '') ?? '';
    },
  };
}

function complaintIn(line: string): string {
  try {
    const { error, message } = asObject(JSON.parse(line));
    const complaint = error ?? message;
    return typeof complaint === 'string' ? complaint.slice(0, 300) : '';
  } catch {
    // An empty line, or the rest of what broke off.
    return '';
  }
}
