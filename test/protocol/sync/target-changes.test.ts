import { expect, test } from 'vitest';
import { startCloud } from '../../support/cloud-target.ts';
import { startScimTarget } from '../../support/scim-target.ts';
import { scimWorkshop } from '../../support/scim-workshop.ts';
import { describeOnBoth, describeOnSqlite } from '../../support/server.ts';
import { ledgerOf, localTargets, makeGroup, makeSyncProvider, makeUser, settled } from '../../support/sync.ts';
import { startWorkspace } from '../../support/workspace-target.ts';

const numbered = { idOf: (number: number) => number };

describeOnBoth(
  'a SCIM provider that gets another target',
  (server) => {
    const start = scimWorkshop(server);

    test('leaves accounts there alone that have the ids of links to the former target', async () => {
      const { target, provider, settle, person, admin } = await start(numbered);
      const [ada, grace] = [await person(), await person()];
      await settle();
      const production = await startScimTarget({ idOf: (number) => number + 100 });
      for (const id of [1, 2])
        production.users.set(String(id), { id, userName: `stranger-${id}`, displayName: 'Keep' });
      // A user is there already, by another id.
      production.users.set('77', { id: 77, userName: ada.username });
      await admin.patch(`/providers/scim/${provider.pk}/`, production.settings);
      const status = await settle();
      const names = () => [...production.users.values()].map(({ userName }) => userName).sort();
      const strangers = ['stranger-1', 'stranger-2'];
      expect(names()).toEqual([ada.username, grace.username, ...strangers].sort());
      expect(production.users.get('77')).toMatchObject({ displayName: 'Test Person' });
      expect(status.run).toMatchObject({ state: 'done', failed: 0 });
      expect(status.run.message).toMatch(
        /^The provider has another target: \d+ links to objects of the former one were/,
      );
      expect(status.tasks[0].messages[0].event).toContain('another target');

      await admin.delete(`/core/users/${ada.pk}/`);
      await settle();
      expect(names()).toEqual([grace.username, ...strangers].sort());
      // The former target keeps what it has.
      expect([...target.users.values()].map(({ userName }) => userName).sort()).toEqual(
        [ada.username, grace.username].sort(),
      );
      await admin.patch(`/providers/scim/${provider.pk}/`, target.settings);
      await settle();
      await production.close();
    });

    test('deletes no user there whose user was deleted here before the change was sent', async () => {
      const { target, provider, settle, person, admin } = await start(numbered);
      const ada = await person();
      await settle();
      // The former target is away, so the deletion waits.
      target.fault = () => ({ status: 503, body: {} });
      await admin.delete(`/core/users/${ada.pk}/`);
      const production = await startScimTarget(numbered);
      production.users.set('1', { id: 1, userName: 'stranger-1' });
      await admin.patch(`/providers/scim/${provider.pk}/`, production.settings);
      await settle();
      expect(production.users.get('1')).toEqual({ id: 1, userName: 'stranger-1' });
      target.fault = () => null;
      await admin.patch(`/providers/scim/${provider.pk}/`, target.settings);
      await settle();
      await production.close();
    });

    test('keeps its links when the address is only written otherwise', async () => {
      const { target, provider, settle, person, admin, userAt } = await start();
      const ada = await person();
      await settle();
      const { id } = userAt(ada.username);
      target.requests.length = 0;
      await admin.patch(`/providers/scim/${provider.pk}/`, { url: `${target.settings.url}//` });
      const { run } = await settle();
      expect(run).toMatchObject({ state: 'done', message: '' });
      expect(target.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
      expect(await ledgerOf(admin, 'scim', provider.pk, `user=${ada.pk}`)).toMatchObject({ remote_id: id });
    });
  },
  localTargets,
);

describeOnSqlite(
  'a provider that no application uses',
  (server) => {
    test('drops the links to its former target at once, and keeps those that are made by hand afterwards', async () => {
      const { admin } = server();
      const [former, target] = [await startScimTarget(), await startScimTarget()];
      const made = await admin.post('/providers/scim/', { name: `idle ${Math.random()}`, ...former.settings });
      const path = `/providers/scim/${made.body.pk}/`;
      const [ada, grace] = [await makeUser(admin), await makeUser(admin)];
      const link = (user: { pk: number }, scim_id: string) =>
        admin.post('/providers/scim_users/', { scim_id, user: user.pk, provider: made.body.pk });
      await link(ada, '1');
      await admin.patch(path, target.settings);
      await link(grace, '2');
      const { body } = await admin.get(`/providers/scim_users/?provider__id=${made.body.pk}`);
      expect(body.results).toMatchObject([{ user: grace.pk, scim_id: '2' }]);
      await admin.delete(path);
      for (const one of [former, target]) await one.close();
    });
  },
  localTargets,
);

describeOnSqlite(
  'a directory that is replaced by another',
  (server) => {
    test.each([
      ['cloud_directory', startCloud],
      ['workspace_directory', startWorkspace],
    ] as const)('%s gets everybody, and the former one keeps its accounts', async (path, begin) => {
      const { admin } = server();
      const [former, other] = [await begin(), await begin()];
      const scope = await makeGroup(admin);
      const ada = await makeUser(admin, { groups: [scope.pk] });
      const provider = await makeSyncProvider(admin, path, { ...former.settings, filter_group: scope.pk });
      await settled(server(), path, provider.pk);
      former.requests.length = 0;
      await admin.patch(`/providers/${path}/${provider.pk}/`, other.settings);
      const { run } = await settled(server(), path, provider.pk);
      expect(run).toMatchObject({ state: 'done', failed: 0, message: expect.stringContaining('another target') });
      expect([former.users.size, other.users.size]).toEqual([1, 1]);
      expect(former.requests).toEqual([]);
      expect(JSON.stringify([...other.users.values()])).toContain(ada.email);
      await admin.delete(`/providers/${path}/${provider.pk}/`);
      for (const one of [former, other]) await one.close();
    });
  },
  localTargets,
);

describeOnBoth(
  'a SCIM target that has lost everything',
  (server) => {
    const start = scimWorkshop(server);

    test.each([{}, numbered])('gets users, groups and members again in a full run (%o)', async (options) => {
      const { target, settle, person, rerun, userAt, groupAt, admin } = await start(options);
      const people = [await person(), await person(), await person()];
      const group = await makeGroup(admin, { users: people.map(({ pk }) => pk) });
      await settle();
      target.empty();
      const { run } = await rerun();
      expect(run.message).toContain('The target has lost its users: they are created again.');
      expect([...target.users.values()].map(({ userName }) => userName).sort()).toEqual(
        people.map(({ username }) => username).sort(),
      );
      const ids = people.map(({ username }) => String(userAt(username).id)).sort();
      expect(
        groupAt(group.name)
          .members.map(({ value }: { value: string }) => value)
          .sort(),
      ).toEqual(ids);
      const { run: next } = await rerun();
      expect(next).toMatchObject({ state: 'done', failed: 0, message: '' });
    });

    test('is not written again when it only lists nothing', async () => {
      const shown = (body: Record<string, unknown>) =>
        Array.isArray(body.Resources) ? { totalResults: 0, startIndex: 1, itemsPerPage: 0, Resources: [] } : body;
      const { target, settle, person, rerun } = await start({ shown });
      await person();
      await settle();
      target.requests.length = 0;
      const { run } = await rerun();
      expect(run).toMatchObject({ state: 'done', failed: 0 });
      expect(run.message).toContain('The target lists no users, although some are there');
      expect(target.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    });
  },
  localTargets,
);
