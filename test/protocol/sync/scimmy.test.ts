import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../support/jobs.ts';
import { type ScimmyTarget, startScimmy, targetToken } from '../../support/scimmy-target.ts';
import { describeOnSqlite } from '../../support/server.ts';
import { ledgerOf, localTargets, makeGroup, makeSyncProvider, makeUser, settled } from '../../support/sync.ts';

describeOnSqlite(
  'a SCIM provider and a server that others wrote',
  (server) => {
    let target: ScimmyTarget;

    beforeAll(async () => {
      target = await startScimmy();
    });
    afterAll(() => target.close());

    const userNamed = (name: string) => [...target.users.values()].find(({ userName }) => userName === name);
    const groupNamed = (name: string) => [...target.groups.values()].find(({ displayName }) => displayName === name);
    const memberIds = (name: string) =>
      (groupNamed(name)?.members ?? []).map(({ value }: { value: string }) => value).sort();

    test('a full run brings all users and groups with their members; changes follow one by one', async () => {
      const { admin } = server();
      const people = [await makeUser(admin), await makeUser(admin), await makeUser(admin)];
      const group = await makeGroup(admin, { users: people.map(({ pk }) => pk) });
      const provider = await makeSyncProvider(admin, 'scim', { url: `${target.url}/`, token: targetToken });
      const status = await settled(server(), 'scim', provider.pk);
      expect(status).toMatchObject({ is_running: false, failed: 0, run: { state: 'done', left: 0, failed: 0 } });
      const { pagination } = (await admin.get('/core/users/')).body;
      expect(target.users.size).toBe(pagination.count);
      expect(userNamed(people[0].username)).toMatchObject({
        externalId: people[0].uid,
        name: { formatted: 'Test Person', givenName: 'Test', familyName: 'Person' },
        active: true,
        emails: [{ value: people[0].email, type: 'other', primary: true }],
      });
      expect(memberIds(group.name)).toEqual(people.map(({ username }) => userNamed(username).id).sort());
      const { body } = await admin.get(`/providers/scim_users/?provider__id=${provider.pk}&user__id=${people[0].pk}`);
      expect(body.results).toMatchObject([{ scim_id: userNamed(people[0].username).id, user: people[0].pk }]);

      const person = await makeUser(admin);
      await until(() => userNamed(person.username) !== undefined);
      const joined = await makeGroup(admin, { users: [person.pk] });
      await settled(server(), 'scim', provider.pk);
      expect(memberIds(joined.name)).toEqual([userNamed(person.username).id]);

      await admin.patch(`/core/users/${person.pk}/`, { name: 'Renamed Person', is_active: false });
      await admin.post(`/core/groups/${joined.pk}/remove_user/`, { pk: person.pk });
      await admin.patch(`/core/groups/${joined.pk}/`, { name: `${joined.name}-2` });
      await settled(server(), 'scim', provider.pk);
      expect(userNamed(person.username)).toMatchObject({ displayName: 'Renamed Person', active: false });
      expect(memberIds(`${joined.name}-2`)).toEqual([]);

      await admin.delete(`/core/users/${person.pk}/`);
      await admin.delete(`/core/groups/${joined.pk}/`);
      await until(() => userNamed(person.username) === undefined && groupNamed(`${joined.name}-2`) === undefined);
      await settled(server(), 'scim', provider.pk);
      expect(await ledgerOf(admin, 'scim', provider.pk, `user=${person.pk}`)).toBeUndefined();
    });
  },
  localTargets,
);
