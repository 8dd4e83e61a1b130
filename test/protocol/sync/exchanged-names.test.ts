import { expect, test } from 'vitest';
import { startCloud } from '../../support/cloud-target.ts';
import type { Fault } from '../../support/json-server.ts';
import { scimWorkshop } from '../../support/scim-workshop.ts';
import { describeOnSqlite } from '../../support/server.ts';
import { localTargets, makeGroup, makeSyncProvider, makeUser, settled } from '../../support/sync.ts';
import { startWorkspace } from '../../support/workspace-target.ts';

const away: Fault = { status: 503, body: {} };

describeOnSqlite(
  'objects that exchange their names',
  (server) => {
    const start = scimWorkshop(server);

    test.each([2, 3])('%d users keep their accounts at a SCIM server, under their new names', async (count) => {
      const { target, settle, person, rerun, userAt, admin } = await start();
      const people = await Promise.all(Array.from({ length: count }, () => person()));
      await settle();
      const ids = people.map(({ username }) => userAt(username).id);
      target.fault = () => away;
      for (const { pk } of people) await admin.patch(`/core/users/${pk}/`, { username: `between-${pk}` });
      // Each takes the name of the one before.
      const next = people.map((_, at) => people.at(at - 1).username);
      for (const [at, { pk }] of people.entries()) await admin.patch(`/core/users/${pk}/`, { username: next[at] });
      target.fault = () => null;
      const status = await rerun();
      expect(next.map((name) => userAt(name)?.id)).toEqual(ids);
      expect([target.users.size, status.failed]).toEqual([count, 0]);
    });

    test('groups do so too, with their members', async () => {
      const { target, settle, person, rerun, userAt, groupAt, admin } = await start();
      const ada = await person();
      const [one, other] = [await makeGroup(admin, { users: [ada.pk] }), await makeGroup(admin)];
      await settle();
      const ids = [groupAt(one.name).id, groupAt(other.name).id];
      target.fault = () => away;
      for (const [pk, name] of [
        [one.pk, 'between'],
        [other.pk, one.name],
        [one.pk, other.name],
      ]) {
        await admin.patch(`/core/groups/${pk}/`, { name });
      }
      target.fault = () => null;
      await rerun();
      expect([groupAt(other.name)?.id, groupAt(one.name)?.id]).toEqual(ids);
      expect(groupAt(other.name).members).toEqual([{ value: userAt(ada.username).id }]);
    });

    test('a name that a user has changed at the target is changed back when another needs it', async () => {
      const { target, settle, person, userAt, admin } = await start();
      const [ada, grace] = [await person(), await person()];
      await settle();
      userAt(grace.username).userName = 'wanted-by-ada';
      await admin.patch(`/core/users/${ada.pk}/`, { username: 'wanted-by-ada' });
      await settle();
      expect(userAt('wanted-by-ada').externalId).toBe(ada.uid);
      expect(userAt(grace.username).externalId).toBe(grace.uid);
      expect(target.users.size).toBe(2);
    });

    test.each([
      ['workspace_directory', startWorkspace, 'primaryEmail'],
      ['cloud_directory', startCloud, 'userPrincipalName'],
    ] as const)('users of a %s exchange their addresses', async (path, begin, address) => {
      const { admin } = server();
      const target = await begin();
      const scope = await makeGroup(admin);
      const [ada, grace] = [
        await makeUser(admin, { groups: [scope.pk] }),
        await makeUser(admin, { groups: [scope.pk] }),
      ];
      const provider = await makeSyncProvider(admin, path, { ...target.settings, filter_group: scope.pk });
      await settled(server(), path, provider.pk);
      const idOf = (email: string) => [...target.users.values()].find((user) => user[address] === email)?.id;
      const ids = [idOf(ada.email), idOf(grace.email)];
      target.fault = () => away;
      for (const [{ pk }, email] of [
        [ada, `between-${ada.email}`],
        [grace, ada.email],
        [ada, grace.email],
      ]) {
        expect((await admin.patch(`/core/users/${pk}/`, { email })).status).toBe(200);
      }
      target.fault = () => null;
      await admin.patch(`/providers/${path}/${provider.pk}/`, {});
      const status = await settled(server(), path, provider.pk);
      expect([idOf(grace.email), idOf(ada.email)]).toEqual(ids);
      expect([target.users.size, status.failed]).toEqual([2, 0]);
      // No address of the exchange is left, and none that is another's now.
      expect(JSON.stringify([...target.users.values()])).not.toContain('-parked-');
      await admin.delete(`/providers/${path}/${provider.pk}/`);
      await target.close();
    });
  },
  localTargets,
);
