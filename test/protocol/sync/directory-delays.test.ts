import { describe, expect, test } from 'vitest';
import { type CloudTarget, startCloud } from '../../support/cloud-target.ts';
import type { JsonRequest } from '../../support/json-server.ts';
import { describeOnSqlite, type TestServer } from '../../support/server.ts';
import { ledgerOf, localTargets, makeGroup, makeSyncProvider, makeUser, settled } from '../../support/sync.ts';
import { startWorkspace, type WorkspaceTarget } from '../../support/workspace-target.ts';

const kinds = {
  workspace_directory: { begin: startWorkspace, address: 'primaryEmail', name: 'name' },
  cloud_directory: { begin: startCloud, address: 'userPrincipalName', name: 'displayName' },
} as const;
type Path = keyof typeof kinds;

/** A directory of one test, with a provider for the members of a group. */
async function workshop({ server, path }: { server: TestServer; path: Path }) {
  const { admin } = server;
  const { begin, address, name } = kinds[path];
  const target: WorkspaceTarget | CloudTarget = await begin();
  const scope = await makeGroup(admin);
  const provider = await makeSyncProvider(admin, path, { ...target.settings, filter_group: scope.pk });
  const settle = () => settled(server, path, provider.pk);
  await settle();
  return {
    ...{ admin, target, provider, settle, address },
    person: (values = {}) => makeUser(admin, { groups: [scope.pk], ...values }),
    userAt: (email: string) => [...target.users.values()].find((user) => user[address] === email),
    membersAt: (called: string) => {
      const group = [...target.groups.values()].find((one) => one[name] === called);
      return [...(target.members.get(group?.id) ?? [])].sort();
    },
    entry: (query: string) => ledgerOf(admin, path, provider.pk, query),
    sent: (method: string, last: string) =>
      target.requests.filter((one) => one.method === method && one.segments.at(-1) === last),
    async close() {
      await admin.delete(`/providers/${path}/${provider.pk}/`);
      await target.close();
    },
  };
}

describeOnSqlite(
  'a directory that takes a while',
  (server) => {
    describe.each(Object.keys(kinds) as Path[])('%s', (path) => {
      const start = () => workshop({ server: server(), path });

      test('gets the members of a new group once it knows group and members everywhere', async () => {
        const { admin, target, settle, person, userAt, membersAt, entry, close } = await start();
        target.lag.requests = 1;
        const [ada, grace] = [await person(), await person()];
        const group = await makeGroup(admin, { users: [ada.pk, grace.pk] });
        await settle();
        expect(membersAt(group.name)).toEqual([userAt(ada.email).id, userAt(grace.email).id].sort());
        expect(await entry(`group=${group.pk}`)).toMatchObject({ error: '', due: null });
        expect([...target.groups.values()].filter((one) => Object.values(one).includes(group.name))).toHaveLength(1);
        await close();
      });

      test('gets a change of an account it has just made, without a second account', async () => {
        const { admin, target, settle, person, userAt, close } = await start();
        target.lag.requests = 2;
        const ada = await person();
        await settle();
        await admin.patch(`/core/users/${ada.pk}/`, { name: 'Changed Name' });
        await settle();
        expect(JSON.stringify(userAt(ada.email))).toContain('Changed Name');
        expect(target.users.size).toBe(1);
        await close();
      });

      test('has no account left of a user who was deleted right after', async () => {
        const { admin, target, settle, person, userAt, close } = await start();
        target.lag.requests = 1;
        const ada = await person();
        await settle();
        expect(userAt(ada.email)).toBeDefined();
        await admin.delete(`/core/users/${ada.pk}/`);
        await settle();
        expect(target.users.size).toBe(0);
        await close();
      });

      test('that has lost one member gets the others of the group', async () => {
        const { admin, target, settle, person, userAt, membersAt, close } = await start();
        const people = [await person(), await person(), await person()];
        await settle();
        for (const { email } of people.slice(0, 2)) target.users.delete(userAt(email).id);
        const group = await makeGroup(admin, { users: people.map(({ pk }) => pk) });
        const last = userAt(people[2].email).id;
        await expect.poll(() => membersAt(group.name), { timeout: 20_000 }).toEqual([last]);
        await close();
      });

      test('that takes a token back early is written to with a new one at once', async () => {
        const { admin, target, settle, person, userAt, close } = await start();
        const people = [await person(), await person(), await person(), await person(), await person()];
        await settle();
        target.revokeTokens();
        const before = tokensTaken(target.requests);
        for (const { pk } of people) await admin.patch(`/core/users/${pk}/`, { name: 'With Another Token' });
        const status = await settle();
        expect(status).toMatchObject({ paused_until: null, message: '', failed: 0 });
        for (const { email } of people) expect(JSON.stringify(userAt(email))).toContain('With Another Token');
        expect(tokensTaken(target.requests)).toBe(before + 1);
        await close();
      });

      test('that refuses the new token as well is left alone', async () => {
        const { target, settle, person, admin, provider, close } = await start();
        const ada = await person();
        await settle();
        const before = tokensTaken(target.requests);
        target.fault = ({ segments }) => (segments.includes('users') ? { status: 401, body: {} } : null);
        await admin.patch(`/core/users/${ada.pk}/`, { name: 'Never There' });
        const status = () => admin.get(`/providers/${path}/${provider.pk}/sync/status/`);
        await expect.poll(async () => (await status()).body.message).toBe('The target answered 401: {}');
        expect(tokensTaken(target.requests)).toBe(before + 1);
        await close();
      });
    });

    const tokensTaken = (requests: readonly JsonRequest[]) =>
      requests.filter(({ segments }) => segments.at(-1) === 'token').length;

    test.each(['userRateLimitExceeded', 'quotaExceeded', 'rateLimitExceeded'])(
      'is left alone for a while when it answers 403 with %s',
      async (reason) => {
        const { target, settle, person, userAt, sent, close } = await workshop({
          server: server(),
          path: 'workspace_directory',
        });
        let refusals = 0;
        target.fault = ({ method, segments }) => {
          if (method !== 'POST' || segments.at(-1) !== 'users') return null;
          refusals += 1;
          const message = 'Request rate higher than configured.';
          const error = { code: 403, message, errors: [{ domain: 'usageLimits', reason, message }] };
          return refusals <= 4 ? { status: 403, body: { error } } : null;
        };
        const people = await Promise.all(Array.from({ length: 8 }, () => person()));
        const status = await settle();
        for (const { email } of people) expect(userAt(email)).toBeDefined();
        expect(status.failed).toBe(0);
        expect(sent('POST', 'users').length).toBeLessThanOrEqual(8 + refusals);
        await close();
      },
    );

    test('is asked again when the creation of an account is not complete, and not for what it forbids', async () => {
      const { admin, target, settle, person, userAt, sent, entry, close } = await workshop({
        server: server(),
        path: 'workspace_directory',
      });
      const ada = await person();
      await settle();
      const faults = [
        { status: 412, body: { error: { code: 412, message: 'User creation is not complete.' } } },
        { status: 403, body: { error: { code: 403, message: 'Not Authorized', errors: [{ reason: 'forbidden' }] } } },
      ];
      target.fault = ({ method }) => (method === 'PUT' ? (faults.shift() ?? null) : null);
      await admin.patch(`/core/users/${ada.pk}/`, { name: 'Complete Name' });
      await settle();
      expect(sent('PUT', userAt(ada.email).id)).toHaveLength(2);
      expect((await entry(`user=${ada.pk}`)).error).toBe('The target answered 403: Not Authorized');
      await close();
    });
  },
  localTargets,
);
