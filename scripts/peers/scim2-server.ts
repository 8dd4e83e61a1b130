import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Api } from '../../test/support/api.ts';
import { freePort } from '../../test/support/free-port.ts';
import { firstStart, processToken, startServerProcess } from '../../test/support/gatehouse-process.ts';
import { until } from '../../test/support/jobs.ts';
import { localTargets, makeGroup, makeSyncProvider, makeUser, statusOf } from '../../test/support/sync.ts';
import { endOf, installPython, type Peer, pythonPrograms } from './peer.ts';

const packages = ['scim2-server==0.8.3'];
const token = 'the-token-of-scim2-server';

/** A SCIM provider pushes to scim2-server (PyPI), which then has the same people, groups and members. */
export const scim2Server: Peer = {
  name: 'scim2-server',
  prepare: (folder) => installPython(folder, 'scim2-server', packages),
  async run(folder) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const args = ['--port', String(port), '--bearer-token', token];
    const target = spawn(join(pythonPrograms(folder, 'scim2-server'), 'scim2-server'), args, { stdio: 'ignore' });
    const data = mkdtempSync(join(folder, 'data-'));
    const server = await startServerProcess({ ...firstStart, ...localTargets.env, GATEHOUSE_DATA_DIR: data });
    try {
      return await check(server.as(processToken), url);
    } catch (error) {
      console.error(error);
      return false;
    } finally {
      await server.stop();
      await endOf(target);
    }
  },
};

async function check(api: Api, url: string): Promise<boolean> {
  await until(() => fetch(`${url}/ServiceProviderConfig`).then(Boolean, () => false));
  const people = [await makeUser(api), await makeUser(api), await makeUser(api)];
  const group = await makeGroup(api, { users: people.map(({ pk }) => pk) });
  const provider = await makeSyncProvider(api, 'scim', { url, token });
  const settle = () =>
    until(async () => {
      const { is_running, outstanding } = await statusOf(api, 'scim', provider.pk);
      return !is_running && outstanding === 0;
    });
  await settle();
  await api.patch(`/core/users/${people[0].pk}/`, { name: 'Another Name' });
  await api.post(`/core/groups/${group.pk}/remove_user/`, { pk: people[1].pk });
  await api.delete(`/core/users/${people[2].pk}/`);
  const [one, other] = people;
  await until(async () => (await named(url, 'Users', 'userName', people[2].username)) === undefined);
  await settle();
  const first = await named(url, 'Users', 'userName', one.username);
  const members = (await named(url, 'Groups', 'displayName', group.name))?.members ?? [];
  const failed = (await api.get(`/providers/scim/${provider.pk}/sync/ledger/?state=failed`)).body.results;
  for (const { error } of failed) console.error(error);
  return (
    failed.length === 0 &&
    first?.displayName === 'Another Name' &&
    (await named(url, 'Users', 'userName', other.username)) !== undefined &&
    members.length === 1 &&
    members[0].value === first.id
  );
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
async function named(url: string, collection: string, by: string, name: string): Promise<any> {
  const filter = encodeURIComponent(`${by} eq "${name}"`);
  const answer = await fetch(`${url}/${collection}?filter=${filter}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
  const body: any = await answer.json();
  return body.Resources?.[0];
}
