import { expect, test } from 'vitest';
import { type Field, isWritable } from '../../src/resource/fields/field.ts';
import { isRef } from '../../src/resource/fields/ref.ts';
import { grantOn } from '../support/grants.ts';
import { made, unique } from '../support/make-walk.ts';
import { describeOnBoth } from '../support/server.ts';

const needsNoRight: Readonly<Record<string, string>> = {
  'svc_core.group.roles': 'takes all permissions of the role',
  'svc_core.token.user': 'their owner alone',
  'svc_stages_authenticator_validate.authenticatorvalidatestage.webauthn_allowed_device_types': 'public metadata',
  'svc_stages_authenticator_webauthn.authenticatorwebauthnstage.device_type_restrictions': 'public metadata',
  'svc_stages_invitation.invitation.flow': 'what everybody sees who opens the flow',
};

// Answers show the objects that a row refers to. By one right, such as to add groups, a delegate read the whole
// directory.
describeOnBoth('references do not disclose objects', (server) => {
  const target = async () => ({
    user: (await server().user([], { email: `${unique('hidden')}@example.com` })).pk,
    group: (await made(server(), '/core/groups/', { name: unique('group'), attributes: { hidden: true } })).pk,
    provider: (
      await made(server(), '/providers/scim/', { name: unique('scim'), url: 'https://scim.example.com', token: 'x' })
    ).pk,
    application: (await made(server(), '/core/applications/', { name: 'app', slug: unique('app') })).pk,
  });
  type Target = Awaited<ReturnType<typeof target>>;
  const linking = ['svc_providers_scim.change_scimprovider', 'svc_providers_scim.view_scimprovider'];
  const binding = ['svc_policies.add_policybinding', 'svc_core.change_application', 'svc_core.view_application'];

  test.each<[string, string[], string, string, (target: Target) => object]>([
    [
      'a user as a member of a new group',
      ['svc_core.add_group'],
      'svc_core.view_user',
      '/core/groups/',
      ({ user }) => ({ name: unique('group'), users: [user] }),
    ],
    [
      'a group that a new user is in',
      ['svc_core.add_user', 'svc_core.add_user_to_group'],
      'svc_core.view_group',
      '/core/users/',
      ({ group }) => ({ username: unique('user'), name: '', groups: [group] }),
    ],
    [
      'a group with its members that a rule notifies',
      ['svc_events.add_notificationrule', 'svc_events.view_event'],
      'svc_core.view_group',
      '/events/rules/',
      ({ group }) => ({ name: unique('rule'), group }),
    ],
    [
      'a user who may use an application',
      binding,
      'svc_core.view_user',
      '/policies/bindings/',
      ({ user, application }) => ({ target: application, user, order: 0 }),
    ],
    [
      'a group that may use an application',
      binding,
      'svc_core.view_group',
      '/policies/bindings/',
      ({ group, application }) => ({ target: application, group, order: 0 }),
    ],
    [
      'a user who is linked to an account elsewhere',
      [...linking, 'svc_providers_scim.add_scimprovideruser'],
      'svc_core.view_user',
      '/providers/scim_users/',
      ({ user, provider }) => ({ scim_id: unique('remote'), user, provider }),
    ],
    [
      'a group that is linked to a group elsewhere',
      [...linking, 'svc_providers_scim.add_scimprovidergroup'],
      'svc_core.view_group',
      '/providers/scim_groups/',
      ({ group, provider }) => ({ scim_id: unique('remote'), group, provider }),
    ],
  ])('%s', async (_, rights, view, path, bodyFor) => {
    const body = bodyFor(await target());
    const { api } = await server().user(rights);
    for (const query of ['', '?dry_run=true']) {
      const { status, text } = await api.post(`${path}${query}`, body);
      expect([status, text]).toEqual([
        400,
        expect.stringMatching(/^\{"\w+":\["Invalid pk .+ - object does not exist\.","[^"]+"\]\}$/),
      ]);
      expect(text).toContain(`If it exists, you may not see it: that takes the permission ${view}.`);
      expect(text).not.toContain('hidden');
    }
    const seeing = await server().user([...rights, view]);
    expect((await seeing.api.post(path, body)).status).toBe(201);
  });

  test('whether an object is missing or hidden does not show', async () => {
    const { application } = await target();
    const { api } = await server().user(binding);
    const { pk: hidden } = await made(server(), '/policies/dummy/', { name: unique('policy') });
    const answers = await Promise.all(
      [hidden, 'a0a0a0a0-0000-4000-8000-000000000000'].map(async (policy) => {
        const { status, text } = await api.post('/policies/bindings/', { target: application, policy, order: 0 });
        return [status, text.replace(policy, '…')];
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
  });

  test('who has created a policy but may not see it learns which permission that takes', async () => {
    const { application } = await target();
    const rights = [...binding, 'svc_policies_dummy.add_dummypolicy'];
    const { api, pk } = await server().user(rights);
    const { body } = await api.post('/policies/dummy/', { name: unique('policy') });
    const bind = () => api.post('/policies/bindings/', { target: application, policy: body.pk, order: 0 });
    const refused = await bind();
    expect([refused.status, refused.body]).toEqual([
      400,
      {
        policy: [
          `Invalid pk "${body.pk}" - object does not exist.`,
          'If it exists, you may not see it: that takes the permission svc_policies.view_policy.',
        ],
      },
    ]);
    await grantOn(server(), pk, 'svc_policies_dummy.view_dummypolicy', body.pk);
    expect((await bind()).status).toBe(201);
  });

  test('those who see one user name no other, and members whom they do not see stay', async () => {
    const [known, hidden] = [await server().user(), await server().user()];
    const { pk } = await made(server(), '/core/groups/', { name: unique('group'), users: [hidden.pk] });
    const { api, pk: own } = await server().user(['svc_core.change_group', 'svc_core.view_group']);
    const see = { permissions: ['view_user'], model: 'svc_core.user', object_pk: String(known.pk) };
    await server().admin.post(`/rbac/permissions/assigned_by_users/${own}/assign/`, see);
    const path = `/core/groups/${pk}/`;
    expect((await api.patch(path, { users: [hidden.pk, known.pk] })).status).toBe(200);
    const other = await server().user();
    const { status, body } = await api.patch(path, { users: [known.pk, other.pk] });
    const hint = 'If it exists, you may not see it: that takes the permission svc_core.view_user.';
    expect([status, body]).toEqual([400, { users: [`Invalid pk "${other.pk}" - object does not exist.`, hint] }]);
  });

  test('each reference whose object is shown asks for a right on it, or is listed with a reason why it need not', () => {
    const { resources } = server().app.engine.registry;
    const open = resources.flatMap(({ model, allFields }) => {
      const fields = Object.entries(allFields);
      const shown = fields.flatMap(([, { storage }]) => (storage.in === 'nested' ? [storage.nest] : []));
      const isShown = (name: string, { storage }: Field) =>
        shown.some(({ column, pairs }) =>
          storage.in === 'join' ? pairs?.table === storage.join.table : column === name,
        );
      return fields
        .filter(([name, field]) => isRef(field) && isWritable(field) && isShown(name, field) && !field.needs)
        .map(([name]) => `${model}.${name}`);
    });
    expect(new Set(open)).toEqual(new Set(Object.keys(needsNoRight)));
  });

  test('no user finds rows by what these do not show of an object that the caller may not see', async () => {
    const { user } = await target();
    const word = unique('merger');
    const provider = { name: word, url: 'https://scim.example.com', token: 'x' };
    const { pk } = await made(server(), '/providers/scim/', provider);
    await made(server(), '/providers/scim_users/', { scim_id: unique('remote'), user, provider: pk });
    const source = await made(server(), '/sources/scim/', { name: word, slug: word });
    const record = { id: unique('record'), user, source: source.pk };
    await made(server(), '/sources/scim_users/', record);
    const reading = ['svc_providers_scim.view_scimprovideruser', 'svc_sources_scim.view_scimsourceuser'];
    const counts = async (rights: string[]) => {
      const { api } = await server().user([...reading, ...rights]);
      const paths = [
        'providers/scim_users/?search=',
        'sources/scim_users/?search=',
        'sources/scim_users/?source__slug=',
      ];
      return Promise.all(paths.map(async (path) => (await api.get(`/${path}${word}`)).body.pagination.count));
    };
    expect(await counts([])).toEqual([0, 0, 0]);
    expect(await counts(['svc_providers_scim.view_scimprovider', 'svc_sources_scim.view_scimsource'])).toEqual([
      1, 1, 1,
    ]);
  });

  test('no user links accounts elsewhere who may not change the provider', async () => {
    const { user, group, provider } = await target();
    const rights = ['svc_core.view_user', 'svc_core.view_group', 'svc_providers_scim.view_scimprovider'];
    const { api } = await server().user([
      ...rights,
      'svc_providers_scim.add_scimprovideruser',
      'svc_providers_scim.add_scimprovidergroup',
    ]);
    expect((await api.post('/providers/scim_users/', { scim_id: 'remote', user, provider })).status).toBe(403);
    expect((await api.post('/providers/scim_groups/', { scim_id: 'remote', group, provider })).status).toBe(403);
  });
});
