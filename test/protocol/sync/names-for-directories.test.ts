import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { bootstrap } from '../../../src/app/bootstrap/run.ts';
import { startCloud } from '../../support/cloud-target.ts';
import { describeOnBoth, describeOnSqlite } from '../../support/server.ts';
import { ledgerOf, localTargets, makeGroup, makeSyncProvider, makeUser, settled } from '../../support/sync.ts';
import { startWorkspace } from '../../support/workspace-target.ts';

describeOnSqlite(
  'names that a directory does not take as they are',
  (server) => {
    test('usernames that are addresses or have other signs get a nickname that a cloud directory takes', async () => {
      const { admin } = server();
      const target = await startCloud();
      const scope = await makeGroup(admin);
      const end = Math.random().toString(36).slice(2, 8);
      const usernames = [
        `ada-${end}@example.com`,
        `zoë ${end}`,
        `corp\\a.b..${end}.`,
        `李小龍 ${end}`.replace(end, ''),
      ];
      const people = [];
      for (const [number, username] of usernames.entries()) {
        const email = `person-${number}-${end}@example.com`;
        people.push(await makeUser(admin, { username, email, groups: [scope.pk] }));
      }
      const provider = await makeSyncProvider(admin, 'cloud_directory', { ...target.settings, filter_group: scope.pk });
      const { run } = await settled(server(), 'cloud_directory', provider.pk);
      expect(run).toMatchObject({ state: 'done', failed: 0 });
      const nicknames = people.map(
        ({ email }) => [...target.users.values()].find((user) => user.userPrincipalName === email)?.mailNickname,
      );
      expect(nicknames).toEqual([`ada-${end}`, `zoe${end}`, `corpa.b.${end}`, `user-${people[3].pk}`]);
      await admin.delete(`/providers/cloud_directory/${provider.pk}/`);
      await target.close();
    });

    test('groups in other scripts have addresses and nicknames of their own', async () => {
      const { admin } = server();
      const [workspace, cloud] = [await startWorkspace(), await startCloud()];
      const names = ['営業部', '開発部', 'Отдел кадров', '第1課', '第1部', 'Straße'];
      const groups = [];
      for (const name of names) groups.push(await makeGroup(admin, { name }));
      const targets = [
        ['workspace_directory', workspace, 'name', 'email'],
        ['cloud_directory', cloud, 'displayName', 'mailNickname'],
      ] as const;
      for (const [path, target, nameMember, addressMember] of targets) {
        const scope = await makeGroup(admin);
        const provider = await makeSyncProvider(admin, path, { ...target.settings, filter_group: scope.pk });
        const { run } = await settled(server(), path, provider.pk);
        expect(run).toMatchObject({ state: 'done', failed: 0 });
        const made = names.map((name) => [...target.groups.values()].find((group) => group[nameMember] === name));
        const addresses = made.map((group) => group?.[addressMember]);
        if (path === 'workspace_directory') {
          expect(new Set(addresses).size).toBe(names.length);
          for (const address of addresses) expect(address).toMatch(/^[a-z0-9][a-z0-9-]*@example\.com$/);
          expect(addresses.at(-1)).toBe('strasse@example.com');
          // The same again: nothing changes.
          target.requests.length = 0;
          await admin.patch(`/providers/${path}/${provider.pk}/`, {});
          await settled(server(), path, provider.pk);
          expect(target.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
        }
        await admin.delete(`/providers/${path}/${provider.pk}/`);
        await target.close();
      }
      for (const { pk } of groups) await admin.delete(`/core/groups/${pk}/`);
    });

    test('a group that a workspace directory has by the same name keeps its address there', async () => {
      const { admin } = server();
      const target = await startWorkspace();
      const group = await makeGroup(admin, { name: 'Vertrieb Süd' });
      target.groups.set('known', { id: 'known', name: group.name, email: 'sales-south@example.com' });
      const scope = await makeGroup(admin);
      const values = { ...target.settings, filter_group: scope.pk };
      const provider = await makeSyncProvider(admin, 'workspace_directory', values);
      await settled(server(), 'workspace_directory', provider.pk);
      expect(await ledgerOf(admin, 'workspace_directory', provider.pk, `group=${group.pk}`)).toMatchObject({
        remote_id: 'known',
        error: '',
      });
      expect(target.groups.get('known')).toMatchObject({ email: 'sales-south@example.com' });
      await admin.patch(`/core/groups/${group.pk}/`, { name: 'Vertrieb Nord' });
      await settled(server(), 'workspace_directory', provider.pk);
      expect(target.groups.get('known')).toMatchObject({ name: 'Vertrieb Nord', email: 'vertrieb-nord@example.com' });
      await admin.delete(`/providers/workspace_directory/${provider.pk}/`);
      await admin.delete(`/core/groups/${group.pk}/`);
      await target.close();
    });
  },
  localTargets,
);

/** As version 0.2.0 shipped it. */
const formerMapping = `return {
  displayName: group.name,
  mailEnabled: false,
  securityEnabled: true,
  mailNickname: slugify(group.name),
};`;

describeOnBoth('shipped mappings of an install that is upgraded', (server) => {
  const managed = 'gatehouse/providers/cloud_directory/group';
  const find = async () =>
    (await server().admin.get(`/propertymappings/provider/cloud_directory/?managed=${managed}`)).body.results[0];

  test.each([
    ['are brought up to date', formerMapping, (shipped: string) => shipped],
    ['stay as administrators have edited them', `${formerMapping} // ours`, () => `${formerMapping} // ours`],
  ])('%s', async (_, before, after) => {
    const { admin, world, app } = server();
    const { pk, expression: shipped } = await find();
    const path = `/propertymappings/provider/cloud_directory/${pk}/`;
    expect((await admin.patch(path, { expression: before })).status).toBe(200);
    await world.db.write((tx) => sql`delete from bootstrap_steps where name = 'cloud-nicknames'`.execute(tx));
    await bootstrap(world, app);
    expect((await find()).expression).toBe(after(shipped));
    await admin.patch(path, { expression: shipped });
  });

  test('of scopes are described in the words of this version, unless edited', async () => {
    const { admin, world, app } = server();
    const list = '/propertymappings/provider/scope/?managed=gatehouse/providers/oauth2/scope-';
    const find = async (scope: string) => (await admin.get(`${list}${scope}`)).body.results[0];
    const former = { offline_access: 'Access to request new tokens without interaction', profile: 'What we call it' };
    for (const [scope, description] of Object.entries(former))
      await admin.patch(`/propertymappings/provider/scope/${(await find(scope)).pk}/`, { description });
    await world.db.write((tx) => sql`delete from bootstrap_steps where name = 'scope-descriptions'`.execute(tx));
    await bootstrap(world, app);
    expect((await find('offline_access')).description).toBe('Stay signed in while you are away');
    expect((await find('profile')).description).toBe('What we call it');
  });
});
