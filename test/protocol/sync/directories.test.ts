import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type CloudTarget, startCloud } from '../../support/cloud-target.ts';
import { until } from '../../support/jobs.ts';
import type { Document } from '../../support/json-server.ts';
import { unique } from '../../support/make-walk.ts';
import { describeOnSqlite, type TestServer } from '../../support/server.ts';
import { localTargets, makeGroup, makeSyncProvider, makeUser, settled } from '../../support/sync.ts';
import { startWorkspace, type WorkspaceTarget } from '../../support/workspace-target.ts';

const kinds = {
  workspace_directory: {
    start: startWorkspace,
    address: 'primaryEmail',
    name: 'name',
    active: 'suspended',
    remoteId: 'google_id',
  },
  cloud_directory: {
    start: startCloud,
    address: 'userPrincipalName',
    name: 'displayName',
    active: 'accountEnabled',
    remoteId: 'microsoft_id',
  },
} as const;

describeOnSqlite('a directory that verifies who writes to it', (server) => directories(server), localTargets);

function directories(server: () => TestServer): void {
  describe.each(Object.keys(kinds) as (keyof typeof kinds)[])('%s', (path) => {
    const { start, address, name: groupName, active, remoteId } = kinds[path];
    let target: WorkspaceTarget | CloudTarget;
    let provider: { pk: number };
    const make = (values: Record<string, unknown> = {}) =>
      makeSyncProvider(server().admin, path, { ...target.settings, ...values });
    const userAt = (email: string, at = target) => [...at.users.values()].find((user) => user[address] === email);
    const groupAt = (name: string, at = target) => [...at.groups.values()].find((group) => group[groupName] === name);
    const membersAt = (name: string, at = target) => [...(at.members.get(groupAt(name, at)?.id) ?? [])].sort();

    beforeAll(async () => {
      target = await start();
      provider = await make();
      await settled(server(), path, provider.pk);
    });
    afterAll(() => target.close());
    afterEach(() => {
      target.fault = () => null;
    });

    test('gets everybody with an address of its domains; others fail one by one', async () => {
      const { admin } = server();
      const [ada, grace] = [await makeUser(admin), await makeUser(admin)];
      const stranger = await makeUser(admin, { email: `${ada.username}@elsewhere.example` });
      const group = await makeGroup(admin, { users: [ada.pk, grace.pk, stranger.pk] });
      const directory = await start();
      const { pk } = await make(directory.settings);
      const status = await settled(server(), path, pk);
      expect(status.run.state).toBe('done');
      expect(status.failed).toBeGreaterThan(0);
      expect(userAt(ada.email, directory)?.[active]).toBe(path === 'cloud_directory');
      expect(userAt(stranger.email, directory)).toBeUndefined();
      const members = [userAt(ada.email, directory).id, userAt(grace.email, directory).id].sort();
      expect(membersAt(group.name, directory)).toEqual(members);
      const failed = (await admin.get(`/providers/${path}/${pk}/sync/ledger/?user=${stranger.pk}`)).body.results;
      expect(failed).toMatchObject([{ error: `Invalid email domain: ${stranger.email}`, outstanding: 0 }]);
      await admin.delete(`/providers/${path}/${pk}/`);
      await directory.close();
    });

    test('passwords that it is told are random and belong to no user here', async () => {
      for (const _ of [1, 2]) await makeUser(server().admin);
      await settled(server(), path, provider.pk);
      const passwords = target.requests
        .filter(({ method, segments }) => method === 'POST' && segments.at(-1) === 'users')
        .map(({ body }) => body.password ?? body.passwordProfile.password);
      expect(passwords.length).toBeGreaterThan(1);
      expect(new Set(passwords).size).toBe(passwords.length);
      for (const password of passwords) expect(password).toMatch(/^[A-Za-z0-9]{40}$/);
      const { body } = await server().admin.get(`/providers/${path}/${provider.pk}/sync/ledger/`);
      expect(JSON.stringify(body)).not.toContain(passwords[0]);
    });

    test('a dry run shows what a new account would be, without its password', async () => {
      const { admin } = server();
      target.fault = ({ method }) => (method === 'POST' ? { status: 403, body: {} } : null);
      const person = await makeUser(admin);
      await settled(server(), path, provider.pk);
      target.fault = () => null;
      const tried = await admin.post(`/providers/${path}/${provider.pk}/sync/object/?dry_run=true`, {
        sync_object_model: 'svc.core.models.User',
        sync_object_id: String(person.pk),
      });
      const created = tried.body.messages.find(({ event }: { event: string }) => /^POST .*users$/.test(event));
      expect(created.attributes.body).toMatchObject({ [address]: person.email });
      const { password, passwordProfile } = created.attributes.body;
      expect(password ?? passwordProfile.password).toMatch(/^\*+$/);
      expect(userAt(person.email)).toBeUndefined();
    });

    test('a group that is there already is linked by a run, and who is a member already is no failure', async () => {
      const { admin } = server();
      target.fault = ({ method }) => (method === 'POST' ? { status: 403, body: {} } : null);
      const person = await makeUser(admin);
      const group = await makeGroup(admin, { users: [person.pk] });
      await settled(server(), path, provider.pk);
      const [known, member] = [unique('known'), unique('member')];
      target.groups.set(known, { id: known, [groupName]: group.name, email: `${group.name}@example.com` });
      target.users.set(member, { id: member, [address]: person.email });
      target.members.set(known, new Set([member]));
      // It hides that, so that they are added once more.
      const none = { status: 200, body: { value: [], members: [] } };
      target.fault = ({ method, segments }) => (method === 'GET' && segments.at(-1) === 'members' ? none : null);
      await admin.patch(`/providers/${path}/${provider.pk}/`, {});
      await settled(server(), path, provider.pk);
      target.fault = () => null;
      const { body } = await admin.get(`/providers/${path}/${provider.pk}/sync/ledger/?group=${group.pk}`);
      expect(body.results).toMatchObject([{ remote_id: known, error: '' }]);
      expect(membersAt(group.name)).toEqual([member]);
    });

    test('an address in any of its domains will do', async () => {
      const person = await makeUser(server().admin, { email: `${Math.random()}@second.example` });
      await settled(server(), path, provider.pk);
      expect(userAt(person.email)).toBeDefined();
    });

    test('a changed address changes the same account', async () => {
      const { admin } = server();
      const person = await makeUser(admin);
      await until(() => userAt(person.email) !== undefined);
      const { id } = userAt(person.email);
      await admin.patch(`/core/users/${person.pk}/`, { email: `new-${person.email}` });
      await until(() => userAt(`new-${person.email}`) !== undefined);
      expect(userAt(`new-${person.email}`).id).toBe(id);
    });

    test('an account that is there already is linked and brought up to date', async () => {
      const { admin } = server();
      const email = `o'neil-${Math.random().toString(36).slice(2)}@example.com`;
      const known = { id: `known-${email.length}-${Math.random()}`, [address]: email, [active]: 'unknown' };
      target.users.set(known.id, known);
      const person = await makeUser(admin, { email });
      await settled(server(), path, provider.pk);
      expect(known[active]).not.toBe('unknown');
      const { body } = await admin.get(`/providers/${path}_users/?user__id=${person.pk}`);
      expect(body.results).toMatchObject([{ [remoteId]: known.id }]);
    });

    test('a full run takes away members who do not belong', async () => {
      const { admin } = server();
      const [one, other] = [await makeUser(admin), await makeUser(admin)];
      const group = await makeGroup(admin, { users: [one.pk] });
      await settled(server(), path, provider.pk);
      target.members.set(groupAt(group.name).id, new Set([userAt(other.email).id]));
      await admin.patch(`/providers/${path}/${provider.pk}/`, {});
      await settled(server(), path, provider.pk);
      expect(membersAt(group.name)).toEqual([userAt(one.email).id]);
    });

    test.each(['delete', 'suspend', 'do_nothing'])(
      'what leaves the scope is removed by its delete action: %s',
      async (action) => {
        const { admin } = server();
        const directory = await start();
        const at = (email: string) => [...directory.users.values()].find((user) => user[address] === email);
        const filter = await makeGroup(admin);
        const [person, staying] = [await makeUser(admin), await makeUser(admin)];
        await admin.patch(`/core/groups/${filter.pk}/`, { users: [person.pk, staying.pk] });
        const actions = { user_delete_action: action, group_delete_action: action };
        const own = await makeSyncProvider(admin, path, { ...directory.settings, filter_group: filter.pk, ...actions });
        await settled(server(), path, own.pk);
        expect(directory.users.size).toBe(2);
        const { id } = at(person.email);
        await admin.post(`/core/groups/${filter.pk}/remove_user/`, { pk: person.pk });
        const gone = await makeGroup(admin);
        await settled(server(), path, own.pk);
        await admin.delete(`/core/groups/${gone.pk}/`);
        await settled(server(), path, own.pk);
        if (action === 'delete') expect(directory.users.has(id)).toBe(false);
        else
          expect(directory.users.get(id)?.[active]).toBe((action === 'suspend') === (path === 'workspace_directory'));
        expect(at(staying.email)).toBeDefined();
        const groups = [...directory.groups.values()].map((group) => group[groupName]);
        expect(groups.includes(gone.name)).toBe(action !== 'delete');
        const links = await admin.get(`/providers/${path}_users/?provider__id=${own.pk}&user__id=${person.pk}`);
        expect(links.body.results).toEqual([]);
        // So is what the provider itself leaves out from now on.
        const last = at(staying.email);
        await admin.patch(`/providers/${path}/${own.pk}/`, { filter_group: (await makeGroup(admin)).pk });
        await settled(server(), path, own.pk);
        if (action === 'delete') expect(directory.users.size).toBe(0);
        else expect(last[active]).toBe((action === 'suspend') === (path === 'workspace_directory'));
        await admin.delete(`/providers/${path}/${own.pk}/`);
        await directory.close();
      },
    );

    test('a link that is made by hand is filled with what the directory knows', async () => {
      const { admin } = server();
      const person = await makeUser(admin, { email: '' });
      const id = `hand-${Math.random()}`;
      target.users.set(id, { id, [address]: `${person.username}@example.com`, note: 'kept' });
      const made = await admin.post(`/providers/${path}_users/`, {
        [remoteId]: id,
        user: person.pk,
        provider: provider.pk,
      });
      expect(made.status).toBe(201);
      await admin.patch(`/core/users/${person.pk}/`, { email: `${person.username}@example.com` });
      await settled(server(), path, provider.pk);
      const { body } = await admin.get(`/providers/${path}_users/?user__id=${person.pk}`);
      expect(body.results).toMatchObject([{ [remoteId]: id, attributes: { note: 'kept' } }]);
    });

    test('is left alone for as long as it says', async () => {
      const { admin } = server();
      await settled(server(), path, provider.pk);
      const times: number[] = [];
      target.fault = ({ method, segments }) => {
        if (method !== 'POST' || segments.at(-1) !== 'users') return null;
        times.push(performance.now());
        return times.length === 1 ? { status: 429, headers: { 'retry-after': '2' }, body: {} } : null;
      };
      const person = await makeUser(admin);
      await until(() => userAt(person.email) !== undefined);
      target.fault = () => null;
      expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(1_900);
    });

    test('an account that it refuses fails alone', async () => {
      const { admin } = server();
      const [bad, good] = [await makeUser(admin), await makeUser(admin)];
      await settled(server(), path, provider.pk);
      const { id } = userAt(bad.email);
      target.fault = ({ method, segments }) =>
        method !== 'GET' && segments.includes(id)
          ? { status: 400, body: { error: { message: 'Not this one.' } } }
          : null;
      for (const { pk } of [bad, good]) await admin.patch(`/core/users/${pk}/`, { name: 'New Name' });
      const ledger = async ({ pk }: { pk: number }) =>
        (await admin.get(`/providers/${path}/${provider.pk}/sync/ledger/?user=${pk}`)).body.results[0];
      await settled(server(), path, provider.pk);
      target.fault = () => null;
      expect((await ledger(bad)).error).toBe('The target answered 400: Not this one.');
      expect((await ledger(good)).error).toBe('');
      expect(JSON.stringify(userAt(good.email))).toContain('New Name');
    });

    test('a run without the right to see its domains fails with a message', async () => {
      target.fault = ({ segments }) =>
        /domains|organization/.test(segments.at(-1) ?? '')
          ? { status: 403, body: { error: { message: 'No such right.' } } }
          : null;
      const own = await make({ name: `without-rights-${Math.random()}` });
      const { run } = await settled(server(), path, own.pk);
      target.fault = () => null;
      const message = 'Stopping sync due to error: The target answered 403: No such right.';
      expect([run.state, run.message]).toEqual(['failed', message]);
      await server().admin.delete(`/providers/${path}/${own.pk}/`);
    });

    test('credentials that it refuses stop the run with a message, and send nothing', async () => {
      const wrong =
        path === 'cloud_directory'
          ? { client_secret: 'wrong' }
          : { credentials: { client_email: 'a', private_key: 'b' } };
      const before = target.users.size;
      const own = await make(wrong);
      const status = await settled(server(), path, own.pk);
      expect(status.run).toMatchObject({
        state: 'failed',
        message: expect.stringMatching(/^Stopping sync due to error: The /),
      });
      expect(target.users.size).toBe(before);
      await server().admin.delete(`/providers/${path}/${own.pk}/`);
    });
  });
}

describeOnSqlite(
  'a workspace directory',
  (server) => {
    test('takes no account with a further address outside its domains', async () => {
      const target = await startWorkspace();
      const { admin } = server();
      const expression = "return { emails: [{ address: user.email }, { address: 'x@elsewhere.example' }] };";
      const name = `more ${Math.random()}`;
      const { body } = await admin.post('/propertymappings/provider/workspace_directory/', { name, expression });
      const ada = await makeUser(admin);
      const filter = await makeGroup(admin, { users: [ada.pk] });
      const provider = await makeSyncProvider(admin, 'workspace_directory', {
        ...target.settings,
        filter_group: filter.pk,
        property_mappings: [body.pk],
      });
      await settled(server(), 'workspace_directory', provider.pk);
      const path = `/providers/workspace_directory/${provider.pk}`;
      const { results } = (await admin.get(`${path}/sync/ledger/?user=${ada.pk}`)).body;
      expect([results[0].error, target.users.size]).toEqual(['Invalid email domain: x@elsewhere.example', 0]);
      await admin.delete(`${path}/`);
      await target.close();
    });

    test('is written to in the name of the delegated subject, with the scopes of the provider', async () => {
      const target = await startWorkspace();
      const provider = await makeSyncProvider(server().admin, 'workspace_directory', {
        ...target.settings,
        scopes: 'https://scope.example/one, https://scope.example/two',
        delegated_subject: 'boss@example.com',
        default_group_email_domain: 'second.example',
      });
      const group = await makeGroup(server().admin, { name: `Größe & Co ${Math.random()}` });
      await settled(server(), 'workspace_directory', provider.pk);
      expect(target.assertions).toMatchObject([
        { sub: 'boss@example.com', scope: 'https://scope.example/one https://scope.example/two' },
      ]);
      const sent = [...target.groups.values()].find(({ name }) => name === group.name);
      expect(sent.email).toMatch(/^grosse-co-\d+@second\.example$/);
      const taken = `taken ${Math.random()}`;
      const known = {
        id: 'known',
        email: `${taken.replace(' ', '-').replace('.', '')}@second.example`,
        name: 'Before',
      };
      target.groups.set(known.id, known);
      await makeGroup(server().admin, { name: taken });
      await settled(server(), 'workspace_directory', provider.pk);
      expect([...target.groups.values()].find(({ name }) => name === taken)).toMatchObject({ id: 'known' });
      await server().admin.delete(`/providers/workspace_directory/${provider.pk}/`);
      await target.close();
    });
  },
  localTargets,
);

describeOnSqlite(
  'a cloud directory',
  (server) => {
    test('links one of several accounts with an address, and keeps what ties it to where it comes from', async () => {
      const target = await startCloud();
      const { admin } = server();
      const [ada, grace] = [await makeUser(admin), await makeUser(admin)];
      const filter = await makeGroup(admin, { users: [ada.pk, grace.pk] });
      const account = (id: string, name: string) => ({
        ...{ id, userPrincipalName: name, mail: ada.email, onPremisesImmutableId: `of ${id}`, displayName: 'Before' },
      });
      target.users.set('own', account('own', ada.email));
      target.users.set('other', account('other', 'somebody@example.com'));
      const values = { ...target.settings, filter_group: filter.pk };
      const provider = await makeSyncProvider(admin, 'cloud_directory', values);
      const { run } = await settled(server(), 'cloud_directory', provider.pk);
      expect([run.state, run.failed]).toEqual(['done', 0]);
      const shown = ({ displayName, onPremisesImmutableId }: Document) => [displayName, onPremisesImmutableId];
      expect([...target.users.values()].map(shown)).toEqual([
        [ada.name, 'of own'],
        ['Before', 'of other'],
        [grace.name, grace.uid],
      ]);
      await admin.delete(`/providers/cloud_directory/${provider.pk}/`);
      await target.close();
    });

    test('takes what mappings write with underscores', async () => {
      const target = await startCloud();
      const { admin } = server();
      const expression = "return { job_title: 'Boss' };";
      const { body } = await admin.post('/propertymappings/provider/cloud_directory/', { name: 'job', expression });
      const provider = await makeSyncProvider(admin, 'cloud_directory', target.settings);
      const { property_mappings } = (await admin.get(`/providers/cloud_directory/${provider.pk}/`)).body;
      const mappings = { property_mappings: [...property_mappings, body.pk] };
      await admin.patch(`/providers/cloud_directory/${provider.pk}/`, mappings);
      const ada = await makeUser(admin);
      await settled(server(), 'cloud_directory', provider.pk);
      const sent = [...target.users.values()].find((user) => user.userPrincipalName === ada.email);
      expect(sent).toMatchObject({ jobTitle: 'Boss' });
      await admin.delete(`/providers/cloud_directory/${provider.pk}/`);
      await target.close();
    });

    test('whose next page is at another host is not followed there with the token', async () => {
      const [target, elsewhere] = [await startCloud(), await startCloud()];
      target.fault = ({ method, segments }) =>
        method === 'GET' && segments.at(-1) === 'users'
          ? { status: 200, body: { value: [], '@odata.nextLink': `${elsewhere.origin}/v1.0/users` } }
          : null;
      const provider = await makeSyncProvider(server().admin, 'cloud_directory', target.settings);
      const { run } = await settled(server(), 'cloud_directory', provider.pk);
      const message = 'Stopping sync due to error: The directory has the next page of a list at another address.';
      expect([run.state, run.message]).toEqual(['failed', message]);
      expect(elsewhere.requests).toEqual([]);
      await server().admin.delete(`/providers/cloud_directory/${provider.pk}/`);
      for (const one of [target, elsewhere]) await one.close();
    });
  },
  localTargets,
);
