import { expect, test } from 'vitest';
import { describeOnSqlite } from '../../support/server.ts';
import { ledgerOf, localTargets, makeGroup, makeSyncProvider, makeUser, settled } from '../../support/sync.ts';
import { startWorkspace } from '../../support/workspace-target.ts';

const path = 'workspace_directory';

describeOnSqlite(
  'an address that is an alias in a workspace directory',
  (server) => {
    async function start() {
      const { admin } = server();
      const target = await startWorkspace();
      const scope = await makeGroup(admin);
      const values = { ...target.settings, filter_group: scope.pk };
      const provider = await makeSyncProvider(admin, path, values);
      const settle = () => settled(server(), path, provider.pk);
      await settle();
      const entry = (query: string) => ledgerOf(admin, path, provider.pk, query);
      const close = async () => {
        await admin.delete(`/providers/${path}/${provider.pk}/`);
        await target.close();
      };
      return { admin, target, scope, entry, settle, close };
    }

    test('takes no account over: its user is refused, and deleting them leaves the account', async () => {
      const { admin, target, scope, entry, settle, close } = await start();
      const boss = { id: 'boss', primaryEmail: 'boss@example.com', aliases: ['sales@example.com'], name: 'The Boss' };
      target.users.set('boss', { ...boss });
      const sales = await makeUser(admin, { email: 'sales@example.com', groups: [scope.pk] });
      await settle();
      expect(await entry(`user=${sales.pk}`)).toMatchObject({
        remote_id: null,
        error:
          'sales@example.com is an alias of boss@example.com in the directory. Remove the alias there, or choose another address here.',
      });
      await admin.delete(`/core/users/${sales.pk}/`);
      await settle();
      expect([...target.users.values()]).toEqual([boss]);
      await close();
    });

    test('is not given to an account that is renamed here', async () => {
      const { admin, target, scope, entry, settle, close } = await start();
      target.users.set('boss', { id: 'boss', primaryEmail: 'boss@example.com', aliases: ['info@example.com'] });
      const ada = await makeUser(admin, { groups: [scope.pk] });
      await settle();
      await admin.patch(`/core/users/${ada.pk}/`, { email: 'info@example.com' });
      await settle();
      expect((await entry(`user=${ada.pk}`)).error).toContain('info@example.com is an alias of boss@example.com');
      expect(target.users.get('boss')).toMatchObject({ primaryEmail: 'boss@example.com' });
      await close();
    });

    test('takes no group over', async () => {
      const { admin, target, entry, settle, close } = await start();
      const all = { id: 'all', email: 'everybody@example.com', aliases: ['team-one@example.com'], name: 'Everybody' };
      target.groups.set('all', { ...all });
      const group = await makeGroup(admin, { name: 'Team One' });
      await settle();
      expect((await entry(`group=${group.pk}`)).error).toContain('team-one@example.com is an alias of everybody@');
      await admin.delete(`/core/groups/${group.pk}/`);
      await settle();
      expect(target.groups.get('all')).toEqual(all);
      await close();
    });
  },
  localTargets,
);
