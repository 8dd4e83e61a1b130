import { expect, test } from 'vitest';
import type { Api } from '../../support/api.ts';
import { type CloudTarget, startCloud } from '../../support/cloud-target.ts';
import { firstStart, processToken, type RunningServer, startServerProcess } from '../../support/gatehouse-process.ts';
import type { Document, Fault, JsonServer } from '../../support/json-server.ts';
import { type ScimTarget, startScimTarget } from '../../support/scim-target.ts';
import { newFolder } from '../../support/server.ts';
import { localTargets, makeSyncProvider, statusOf } from '../../support/sync.ts';
import { startWorkspace, type WorkspaceTarget } from '../../support/workspace-target.ts';
import { seededRandom } from '../../torture/random.ts';

/** Another seed tries another order of events; 1,000 steps take two minutes. */
const seed = Number(process.env.SYNC_SEED ?? 20_261_116);
const steps = Number(process.env.SYNC_STEPS ?? 400);
const killEvery = 150;
const atOnce = 4;

const paths = ['scim', 'workspace_directory', 'cloud_directory'] as const;

test(`after ${steps} random changes, faults and kill -9, all targets hold the same people, groups and members`, async () => {
  const [random, luck] = [seededRandom(seed), seededRandom(seed + 1)];
  const targets = {
    scim: await startScimTarget(),
    workspace_directory: await startWorkspace({ keepsAliases: false }),
    cloud_directory: await startCloud(),
  };
  const folder = newFolder();
  const begin = () => startServerProcess({ GATEHOUSE_DATA_DIR: folder, ...firstStart, ...localTargets.env });
  let server: RunningServer = await begin();
  const admin = (): Api => server.as(processToken);
  const providers: Record<string, number> = {};
  for (const path of paths) providers[path] = (await makeSyncProvider(admin(), path, targets[path].settings)).pk;
  const status = (path: string) => statusOf(admin(), path, providers[path] ?? 0);
  // The first runs are over before anything happens: they would mend whatever the pushes leave undone.
  await expect
    .poll(async () => (await Promise.all(paths.map(status))).map(({ run }) => run?.state))
    .toEqual(['done', 'done', 'done']);
  for (const target of Object.values(targets)) target.fault = () => faultBy(luck.below(1_000));

  const users = new Set<number>();
  const groups = new Set<string>();
  const pick = <T>(from: ReadonlySet<T>): T | undefined => (from.size > 0 ? random.oneOf([...from]) : undefined);
  const step = async (): Promise<void> => {
    const [chance, api, user, group] = [random.below(100), admin(), pick(users), pick(groups)];
    const username = `person-${random.below(60)}`;
    // Few names: what is changed back before it was sent must be right too.
    const name = `Name ${random.below(2)}`;
    if (chance < 25 || user === undefined) {
      const made = await api.post('/core/users/', { username, name, email: `${username}@example.com` });
      if (made.status === 201) users.add(made.body.pk);
    } else if (chance < 30 || group === undefined) {
      const made = await api.post('/core/groups/', { name: `group ${random.below(15)}` });
      if (made.status === 201) groups.add(made.body.pk);
    } else if (chance < 40) {
      users.delete(user);
      await api.delete(`/core/users/${user}/`);
    } else if (chance < 43) {
      groups.delete(group);
      await api.delete(`/core/groups/${group}/`);
    } else if (chance < 55) {
      await api.patch(`/core/users/${user}/`, { name, is_active: random.below(2) === 0 });
    } else if (chance < 60) {
      await api.patch(`/core/users/${user}/`, { username, email: `${username}@example.com` });
    } else {
      await api.post(`/core/groups/${group}/${random.below(10) < 6 ? 'add' : 'remove'}_user/`, { pk: user });
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
  for (const path of paths) await sendOutstanding(admin(), `/providers/${path}/${providers[path]}`);
  const { byName, byAddress } = await here(admin());
  await expect
    .poll(
      async () => ({
        scim: heldByScim(targets.scim),
        workspace: heldBy(targets.workspace_directory, (user) => [
          user.primaryEmail,
          user.name.fullName,
          !user.suspended,
        ]),
        cloud: heldBy(targets.cloud_directory, (user) => [
          user.userPrincipalName,
          user.displayName,
          user.accountEnabled,
        ]),
        outstanding: (await Promise.all(paths.map(status))).map((one) => one.outstanding),
      }),
      { timeout: 300_000, interval: 250 },
    )
    .toEqual({ scim: byName, workspace: byAddress, cloud: byAddress, outstanding: [0, 0, 0] })
    .catch(async (error: Error) => {
      throw new Error(`seed ${seed}: ${error.message}\n${await ledgers(admin(), providers)}`, { cause: error });
    });
  await server.stop();
  for (const target of Object.values<JsonServer>(targets)) await target.close();
});

/** Sends what waits for its next try, as an administrator can: the pauses double up to ten minutes. */
async function sendOutstanding(api: Api, provider: string): Promise<void> {
  const { body } = await api.get(`${provider}/sync/ledger/?state=outstanding`);
  for (const { user, group } of body.results) {
    await api.post(`${provider}/sync/object/`, {
      sync_object_model: user ? 'svc.core.models.User' : 'svc.core.models.Group',
      sync_object_id: String(user ?? group),
    });
  }
}

/** Of a thousand requests, some fail in each way. */
function faultBy(chance: number): Fault {
  if (chance < 20) return { status: 500, body: {} };
  if (chance < 25) return { status: 429, headers: { 'retry-after': '1' }, body: {} };
  if (chance < 30) return 'cut';
  return chance < 40 ? 'lost' : null;
}

/** Who and what is there, in words that can be compared. */
interface Picture {
  readonly people: readonly string[];
  readonly groups: readonly string[];
}

type Person = readonly [id: string, name: string, isActive: boolean];

const picture = (people: readonly Person[], groups: readonly (readonly [string, readonly string[]])[]): Picture => ({
  people: people.map((person) => person.join(' | ')).sort(),
  groups: groups.map(([name, members]) => `${name}: ${[...members].sort().join(', ')}`).sort(),
});

/** People and groups as the API has them: all of them by name, and those with an address by that. */
async function here(api: Api): Promise<{ byName: Picture; byAddress: Picture }> {
  const people: Document[] = (await api.get('/core/users/?page_size=1000')).body.results;
  const groups: Document[] = (await api.get('/core/groups/?page_size=1000')).body.results;
  const of = (id: 'username' | 'email', isThere: (user: Document) => boolean) =>
    picture(
      people.filter(isThere).map((user) => [user[id], user.name, user.is_active]),
      groups.map(({ name, users_obj }) => [name, users_obj.filter(isThere).map((user: Document) => user[id])]),
    );
  return {
    byName: of('username', () => true),
    byAddress: of('email', ({ email }) => email.endsWith('@example.com')),
  };
}

const heldByScim = ({ users, groups }: ScimTarget): Picture =>
  picture(
    [...users.values()].map(({ userName, displayName, active }) => [userName, displayName, active]),
    [...groups.values()].map(({ displayName, members = [] }) => [
      displayName,
      members.map(({ value }: Document) => users.get(value)?.userName),
    ]),
  );

const heldBy = ({ users, groups, members }: WorkspaceTarget | CloudTarget, of: (user: Document) => Person): Picture =>
  picture(
    [...users.values()].map(of),
    [...groups.values()].map((group) => [
      group.displayName ?? group.name,
      [...(members.get(group.id) ?? [])].map((id) => of(users.get(id))[0]),
    ]),
  );

/** What the ledgers say of objects that are not as they should be. */
async function ledgers(api: Api, providers: Readonly<Record<string, number>>): Promise<string> {
  const found: unknown[] = [];
  for (const path of paths) {
    const url = `/providers/${path}/${providers[path]}/sync`;
    const [outstanding, failed] = [
      await api.get(`${url}/ledger/?state=outstanding`),
      await api.get(`${url}/ledger/?state=failed`),
    ];
    const status = (await api.get(`${url}/status/`)).body;
    found.push({ path, ...status, tasks: undefined }, ...outstanding.body.results, ...failed.body.results);
  }
  return found.map((entry) => JSON.stringify(entry)).join('\n');
}
