import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnBoth, startServer, type TestServer } from '../../support/server.ts';
import { localTargets, makeGroup, makeSyncProvider, makeUser, settled } from '../../support/sync.ts';

describeOnBoth(
  'a SCIM provider and the SCIM source of another Gatehouse',
  (server) => {
    let other: TestServer;
    beforeAll(async () => {
      other = await startServer('sqlite');
    });
    afterAll(() => other.close());

    // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
    const there = async (path: string): Promise<any[]> => (await other.admin.get(path)).body.results;

    test('people, groups and members go over, change and go away', async () => {
      const { admin } = server();
      const source = (await other.admin.post('/sources/scim/', { name: 'first', slug: 'first' })).body;
      const { key } = (await other.admin.get(`/core/tokens/${source.token_obj.identifier}/view_key/`)).body;
      const people = [await makeUser(admin), await makeUser(admin), await makeUser(admin)];
      const scope = await makeGroup(admin, { users: people.map(({ pk }) => pk) });
      const group = await makeGroup(admin, { users: people.slice(0, 2).map(({ pk }) => pk) });
      const provider = await makeSyncProvider(admin, 'scim', {
        url: `${other.url}/source/scim/first/v2`,
        token: key,
        filter_group: scope.pk,
      });
      await settled(server(), 'scim', provider.pk);
      for (const { username, name, email } of people) {
        expect(await there(`/core/users/?username=${username}`)).toMatchObject([{ name, email, is_active: true }]);
      }
      const members = async () =>
        (await there(`/core/groups/?name=${group.name}`))[0]?.users_obj
          .map(({ username }: { username: string }) => username)
          .sort();
      expect(await members()).toEqual(
        people
          .slice(0, 2)
          .map(({ username }) => username)
          .sort(),
      );

      await admin.patch(`/core/users/${people[0].pk}/`, { name: 'Changed Name', is_active: false });
      await admin.patch(`/core/groups/${group.pk}/`, { users: [people[2].pk] });
      await admin.delete(`/core/users/${people[1].pk}/`);
      await settled(server(), 'scim', provider.pk);
      expect(await there(`/core/users/?username=${people[0].username}`)).toMatchObject([
        { name: 'Changed Name', is_active: false },
      ]);
      expect(await there(`/core/users/?username=${people[1].username}`)).toEqual([]);
      expect(await members()).toEqual([people[2].username]);
    });
  },
  localTargets,
);
