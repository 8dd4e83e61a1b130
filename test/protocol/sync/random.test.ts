import { expect, test } from 'vitest';
import type { Api } from '../../support/api.ts';
import { startCloud } from '../../support/cloud-target.ts';
import { firstStart, processToken, type RunningServer, startServerProcess } from '../../support/gatehouse-process.ts';
import { until } from '../../support/jobs.ts';
import type { Fault, JsonServer } from '../../support/json-server.ts';
import { startScimTarget } from '../../support/scim-target.ts';
import { newFolder } from '../../support/server.ts';
import { localTargets, makeSyncProvider, statusOf } from '../../support/sync.ts';
import { startWorkspace } from '../../support/workspace-target.ts';

const seed = 20_261_116;
const steps = 1_000;
const killEvery = 350;
const atOnce = 4;

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into documents freely
type Found = any;

const paths = ['scim', 'workspace_directory', 'cloud_directory'] as const;

test(`after ${steps} random changes, faults and kill -9, all targets hold the same people, groups and members`, {
  timeout: 300_000,
}, async () => {
  const random = randomFrom(seed);
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  const targets = {
    scim: await startScimTarget(),
    workspace_directory: await startWorkspace(),
    cloud_directory: await startCloud(),
  };
  const folder = newFolder();
  const begin = () =>
    startServerProcess({
      GATEHOUSE_DATA_DIR: folder,
      ...firstStart,
      ...localTargets.env,
    });
  let server: RunningServer = await begin();
  const admin = (): Api => server.as(processToken);
  const providers: Record<string, number> = {};
  for (const path of paths) providers[path] = (await makeSyncProvider(admin(), path, targets[path].settings)).pk;
  for (const target of Object.values(targets)) target.fault = () => faultBy(random());

  const users = new Set<number>();
  const groups = new Set<string>();
  const step = async (): Promise<void> => {
    const [chance, api] = [random(), admin()];
    const name = `person-${Math.floor(random() * 60)}`;
    const [user, group] = [pick([...users]), pick([...groups])];
    if (chance < 0.25 || user === undefined) {
      const made = await api.post('/core/users/', {
        username: name,
        name: `Name ${random()}`,
        email: `${name}@example.com`,
      });
      if (made.status === 201) users.add(made.body.pk);
    } else if (chance < 0.3 || group === undefined) {
      const made = await api.post('/core/groups/', { name: `group ${Math.floor(random() * 15)}` });
      if (made.status === 201) groups.add(made.body.pk);
    } else if (chance < 0.4) {
      users.delete(user);
      await api.delete(`/core/users/${user}/`);
    } else if (chance < 0.43) {
      groups.delete(group);
      await api.delete(`/core/groups/${group}/`);
    } else if (chance < 0.55) {
      await api.patch(`/core/users/${user}/`, { name: `Name ${random()}`, is_active: random() < 0.5 });
    } else if (chance < 0.6) {
      await api.patch(`/core/users/${user}/`, { username: name, email: `${name}@example.com` });
    } else {
      await api.post(`/core/groups/${group}/${random() < 0.6 ? 'add' : 'remove'}_user/`, { pk: user });
    }
  };
  for (let done = 0; done < steps; done += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, () => step()));
    if (done > 0 && done % killEvery < atOnce) {
      server.kill('SIGKILL');
      await server.finished;
      server = await begin();
    }
  }

  for (const target of Object.values(targets)) target.fault = () => null;
  // What was given up waits for a full run.
  for (const path of paths) await admin().patch(`/providers/${path}/${providers[path]}/`, {});
  await until(async () => {
    const all = await Promise.all(paths.map((path) => statusOf(admin(), path, providers[path] ?? 0)));
    return all.every(({ is_running, outstanding }) => !is_running && outstanding === 0);
  }, 120);

  const { people, sets } = await here(admin());
  const { scim, workspace_directory: workspace, cloud_directory: cloud } = targets;
  const names = ({ users: all }: { users: Map<string, Found> }, by: string) =>
    [...all.values()].map((one) => one[by]).sort();
  const addressed = people.filter(({ email }) => email.endsWith('@example.com'));
  expect(names(scim, 'userName')).toEqual(people.map(({ username }) => username).sort());
  expect(names(workspace, 'primaryEmail')).toEqual(addressed.map(({ email }) => email).sort());
  expect(names(cloud, 'userPrincipalName')).toEqual(addressed.map(({ email }) => email).sort());
  for (const { username, name, is_active, email } of addressed) {
    expect([...scim.users.values()].find(({ userName }) => userName === username)).toMatchObject({
      displayName: name,
      active: is_active,
    });
    expect([...workspace.users.values()].find(({ primaryEmail }) => primaryEmail === email)).toMatchObject({
      suspended: !is_active,
    });
    expect([...cloud.users.values()].find((one) => one.userPrincipalName === email)).toMatchObject({
      accountEnabled: is_active,
    });
  }
  const pairs = (all: Iterable<readonly [string, readonly string[]]>) =>
    [...all].map(([name, members]) => [name, [...members].sort()]).sort();
  const ofScim = [...scim.groups.values()].map(({ displayName, members = [] }): [string, string[]] => [
    displayName,
    members.map(({ value }: Found) => scim.users.get(value)?.userName),
  ]);
  expect(pairs(ofScim)).toEqual(
    pairs(sets.map(({ name, users: of }) => [name, of.map(({ username }: Found) => username)])),
  );
  const emails = sets.map(({ name, users: of }): [string, string[]] => [
    name,
    of.map(({ email }: Found) => email).filter((email: string) => email.endsWith('@example.com')),
  ]);
  for (const [target, by, address] of [
    [workspace, 'name', 'primaryEmail'],
    [cloud, 'displayName', 'userPrincipalName'],
  ] as const) {
    const found = [...target.groups.values()].map((group): [string, string[]] => [
      group[by],
      [...(target.members.get(group.id) ?? [])].map((id) => target.users.get(id)?.[address]),
    ]);
    expect(pairs(found)).toEqual(pairs(emails));
  }
  await server.stop();
  for (const target of Object.values<JsonServer>(targets)) await target.close();
});

function faultBy(chance: number): Fault {
  if (chance < 0.02) return { status: 500, body: {} };
  if (chance < 0.025) return { status: 429, headers: { 'retry-after': '1' }, body: {} };
  if (chance < 0.03) return 'cut';
  return chance < 0.04 ? 'lost' : null;
}

/** People and groups as the API has them. */
async function here(api: Api): Promise<{ people: Found[]; sets: Found[] }> {
  const people = (await api.get('/core/users/?page_size=1000')).body.results;
  const groups = (await api.get('/core/groups/?page_size=1000')).body.results;
  return { people, sets: groups.map(({ name, users_obj }: Found) => ({ name, users: users_obj })) };
}
