import { expect, test } from 'vitest';
import { grantOn } from '../../support/grants.ts';
import { describeOnBoth } from '../../support/server.ts';

const path = '/providers/ldap/';
let count = 0;

describeOnBoth('LDAP providers', (server) => {
  const create = (values: Record<string, unknown> = {}) => {
    count += 1;
    return server().admin.post(path, { name: `directory ${count}`, base_dn: `DC=ldap,DC=test${count}`, ...values });
  };

  test('defaults', async () => {
    const flow = (await server().admin.get('/flows/instances/?slug=default-authentication-flow')).body.results[0].pk;
    const made = await create({ base_dn: undefined });
    expect([made.status, made.body]).toMatchObject([
      201,
      {
        authorization_flow: flow,
        base_dn: 'DC=ldap,DC=gatehouse',
        certificate: null,
        tls_server_name: '',
        uid_start_number: 2000,
        gid_start_number: 4000,
        search_mode: 'direct',
        bind_mode: 'direct',
        mfa_support: true,
        uid_source: 'username',
        accept_app_passwords: false,
        published_attributes: [],
        outpost_set: ['Gatehouse Embedded Outpost'],
      },
    ]);
    expect(made.body).not.toHaveProperty('base_key');
  });

  test.each([
    [{ base_dn: 'example' }, { base_dn: ['Enter a distinguished name such as DC=ldap,DC=example,DC=com.'] }],
    [{ base_dn: 'CN=a+OU=b,DC=c' }, { base_dn: ['Names of several parts are not supported here.'] }],
    [{ tls_server_name: 'a b' }, { tls_server_name: ['Enter a host name such as ldap.example.com.'] }],
    [
      { published_attributes: ['loginShell', 'memberOf'] },
      { published_attributes: { 1: ['memberOf is computed and cannot be replaced.'] } },
    ],
    [
      { published_attributes: ['2.5.4.3'] },
      { published_attributes: { 0: ['Enter the name of an attribute: letters, digits and hyphens.'] } },
    ],
    // The numbers of accounts of the system, root's among them.
    [{ uid_start_number: -7 }, { uid_start_number: ['Ensure this value is greater than or equal to 1000.'] }],
  ])('%j is refused', async (values, complaints) => {
    const refused = await create(values);
    expect([refused.status, refused.body]).toMatchObject([400, complaints]);
  });

  test('a flow that signs no user in is refused', async () => {
    const { results } = (await server().admin.get('/flows/instances/?designation=enrollment')).body;
    const flow =
      results[0]?.pk ??
      (
        await server().admin.post('/flows/instances/', {
          ...{ name: 'Join', title: 'Join', slug: 'ldap-join', designation: 'enrollment' },
        })
      ).body.pk;
    expect((await create({ authorization_flow: flow })).body.authorization_flow).toEqual([
      'Passwords are verified by a flow that signs people in: choose one for authentication.',
    ]);
  });

  test('no two providers have the same base, however it is written', async () => {
    expect((await create({ base_dn: 'DC=one,DC=example' })).status).toBe(201);
    const second = await create({ base_dn: 'dc=One, domainComponent=EXAMPLE' });
    expect([second.status, second.body.base_dn]).toEqual([400, ['Another provider has this base DN.']]);
  });

  test('no two providers have the same server name', async () => {
    expect((await create({ tls_server_name: 'ldap.example.com' })).status).toBe(201);
    expect((await create({ tls_server_name: 'LDAP.example.com' })).body.tls_server_name).toEqual([
      'Another provider has this name.',
    ]);
  });

  test('no user takes a part of a tree whose provider they may not change', async () => {
    const above = (await create({ base_dn: 'DC=tree,DC=example' })).body.pk;
    const delegate = await server().user(['svc_providers_ldap.add_ldapprovider']);
    const below = { name: 'below', base_dn: 'OU=users,DC=tree,DC=example' };
    const refused = await delegate.api.post(path, below);
    expect([refused.status, refused.body]).toEqual([
      403,
      {
        detail: 'This base DN is in the tree of a provider that you may not change.',
        code: 'permission_denied',
        required: 'svc_providers_ldap.change_ldapprovider',
      },
    ]);
    await grantOn(server(), delegate.pk, 'svc_providers_ldap.change_ldapprovider', above);
    expect((await delegate.api.post(path, below)).status).toBe(201);
  });

  test('only superusers publish attributes', async () => {
    const delegate = await server().user(['svc_providers_ldap.add_ldapprovider']);
    const body = { name: 'publishing', base_dn: 'DC=publishing', published_attributes: ['loginShell'] };
    expect((await delegate.api.post(path, body)).status).toBe(403);
    expect((await delegate.api.post(path, { ...body, published_attributes: [] })).status).toBe(201);
  });

  test('its own creator may not search the whole directory', async () => {
    const delegate = await server().user(['svc_providers_ldap.add_ldapprovider', 'svc_core.add_application']);
    const provider = (await delegate.api.post(path, { name: 'own', base_dn: 'DC=own' })).body.pk;
    const application = await server().admin.post('/core/applications/', { name: 'Own', slug: 'own', provider });
    expect(application.status).toBe(201);
    expect((await delegate.api.get(`/outposts/ldap/${provider}/check_access/?app_slug=own`)).body).toEqual({
      has_search_permission: false,
      access: { passing: true, messages: [], log_messages: [] },
    });
  });

  test('outposts read what is served, and callers ask for their access', async () => {
    const { admin } = server();
    const { pk } = (await create({ name: 'files' })).body;
    const listed = async () => (await admin.get('/outposts/ldap/?name=files')).body.results[0];
    // Without an application, nothing is served.
    expect(await listed()).toBeUndefined();
    expect((await admin.get(`/outposts/ldap/${pk}/check_access/`)).status).toBe(404);

    await admin.post('/core/applications/', { name: 'Files', slug: 'files', provider: pk });
    const served = { pk, bind_flow_slug: 'default-authentication-flow', application_slug: 'files' };
    expect(await listed()).toMatchObject(served);
    await admin.post('/core/applications/', { name: 'Behind', slug: 'behind', backchannel_providers: [pk] });
    // The application that it serves behind the scenes comes first.
    expect((await listed()).application_slug).toBe('behind');
    expect((await admin.get(`/outposts/ldap/${pk}/check_access/?app_slug=files`)).status).toBe(404);

    const someone = await server().user();
    const access = async () => (await someone.api.get(`/outposts/ldap/${pk}/check_access/?app_slug=behind`)).body;
    expect(await access()).toMatchObject({ has_search_permission: false, access: { passing: true } });
    await grantOn(server(), someone.pk, 'svc_providers_ldap.search_full_directory', pk);
    await admin.patch('/core/applications/behind/', { enabled: false });
    expect(await access()).toMatchObject({ has_search_permission: true, access: { passing: false } });
  });

  test.each([
    ['base_dn__iexact=dc%3Dfilter,dc%3Dexample', true],
    ['base_dn__iexact=DC%3Dfilter', false],
    ['name__iexact=FILTERED', true],
    ['tls_server_name__iexact=Filter.example.com', true],
    ['uid_start_number__iexact=7000', true],
    ['uid_start_number__iexact=7001', false],
    ['gid_start_number__iexact=9000', true],
    ['application__isnull=true', true],
    ['application__isnull=false', false],
  ])('the filter %s', async (query, isFound) => {
    await create({
      ...{ name: 'filtered', base_dn: 'DC=filter,DC=example', tls_server_name: 'filter.example.com' },
      ...{ uid_start_number: 7000, gid_start_number: 9000 },
    });
    const { results } = (await server().admin.get(`${path}?${query}&page_size=100`)).body;
    expect(results.some(({ name }: { name: string }) => name === 'filtered')).toBe(isFound);
  });
});
