import type { BenchDatabase } from '../databases.ts';
import { adminToken, commonSettings, withApp } from '../open-app.ts';
import type { BenchOptions } from '../options.ts';
import { buildBundle, cpuMsOf, startHelper, startServer } from '../processes.ts';

export const usualUsers = 10_000;
const usersPerGroup = 20;
const membersEach = 50;

/** Processor time includes that of the database's processes. */
export interface Push {
  readonly requests: number;
  readonly wallMs: number;
  readonly cpuMs: number;
}

export interface MeasuredScim {
  readonly connections: number;
  readonly membersEach: number;
  readonly users: { readonly server: Push; readonly floor: Push };
  readonly groups: { readonly server: Push; readonly floor: Push };
}

interface Side {
  readonly origin: string;
  readonly token: string;
  cpuMs(): Promise<number>;
}

/**
 * People and groups are pushed into a SCIM source, and the same documents into a bare handler with one durable write
 * each.
 */
export async function measureScim({ databases, rounds, say }: BenchOptions, users: number): Promise<MeasuredScim> {
  const { connections } = rounds;
  buildBundle();
  const [ours, bare] = [await databases.fresh(), await databases.fresh()];
  try {
    say('A SCIM source');
    const server = await onServer(ours, (side) => pushAll(side, users, connections));
    say('The bare handler');
    const floor = await onFloor(bare, (side) => pushAll(side, users, connections));
    return {
      ...{ connections, membersEach },
      users: { server: server.users, floor: floor.users },
      groups: { server: server.groups, floor: floor.groups },
    };
  } finally {
    await ours.drop();
    await bare.drop();
  }
}

async function onServer<T>(database: BenchDatabase, work: (side: Side) => Promise<T>): Promise<T> {
  const token = await withApp(database, (_world, _app, url) => makeSource(`${url}/api/v3`));
  await database.settle();
  const server = await startServer({ ...commonSettings, ...database.settings });
  try {
    return await work({
      origin: `http://127.0.0.1:${server.port}/source/scim/bench/v2`,
      token,
      cpuMs: async () => cpuMsOf(server.pid) + (await database.cpuMs()),
    });
  } finally {
    await server.stop();
  }
}

async function onFloor<T>(database: BenchDatabase, work: (side: Side) => Promise<T>): Promise<T> {
  const floor = await startHelper('scim/floor-process.ts', [database.kind, database.place]);
  try {
    return await work({
      origin: `http://127.0.0.1:${floor.port}`,
      token: '',
      cpuMs: async () => cpuMsOf(floor.pid) + (await database.cpuMs()),
    });
  } finally {
    await floor.stop();
  }
}

async function makeSource(api: string): Promise<string> {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'bench', slug: 'bench' });
  const source = await post(`${api}/sources/scim/`, headers, body);
  const answer = await fetch(`${api}/core/tokens/${source.token_obj.identifier}/view_key/`, { headers });
  return (await json(answer)).key;
}

async function pushAll(side: Side, users: number, connections: number): Promise<{ users: Push; groups: Push }> {
  const people = Array.from({ length: users }, (_, number) => personOf(number));
  const { ids, push } = await pushTo(side, 'Users', people, connections);
  const groups = Array.from({ length: Math.ceil(users / usersPerGroup) }, (_, number) => groupOf(number, ids));
  return { users: push, groups: (await pushTo(side, 'Groups', groups, connections)).push };
}

async function pushTo(side: Side, endpoint: string, documents: readonly object[], connections: number) {
  const headers = { authorization: `Bearer ${side.token}`, 'content-type': 'application/scim+json' };
  const ids: string[] = [];
  const queue = documents.entries();
  const drain = async () => {
    for (const [number, document] of queue) {
      ids[number] = (await post(`${side.origin}/${endpoint}`, headers, JSON.stringify(document))).id;
    }
  };
  const [begin, used] = [performance.now(), await side.cpuMs()];
  await Promise.all(Array.from({ length: connections }, drain));
  const wallMs = performance.now() - begin;
  return { ids, push: { requests: documents.length, wallMs, cpuMs: (await side.cpuMs()) - used } };
}

const personOf = (number: number) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  externalId: `external-${number}`,
  userName: `person-${number}`,
  name: { givenName: 'Person', familyName: `Number ${number}`, formatted: `Person Number ${number}` },
  emails: [{ value: `person-${number}@example.com`, type: 'work', primary: true }],
  active: true,
});

const groupOf = (number: number, ids: readonly string[]) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
  externalId: `group-${number}`,
  displayName: `Group ${number}`,
  members: Array.from({ length: membersEach }, (_, at) => ({ value: ids[(number * usersPerGroup + at) % ids.length] })),
});

// biome-ignore lint/suspicious/noExplicitAny: bodies are looked into freely
async function json(answer: Response): Promise<any> {
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

const post = async (url: string, headers: Record<string, string>, body: string) =>
  json(await fetch(url, { method: 'POST', headers, body }));
