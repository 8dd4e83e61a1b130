import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { grantOn } from '../../support/grants.ts';
import { describeOnBoth } from '../../support/server.ts';

const path = '/providers/radius/';
let count = 0;

describeOnBoth('RADIUS providers', (server) => {
  const create = (values: Record<string, unknown> = {}) => {
    count += 1;
    const body = { name: `network ${count}`, client_networks: `10.1.${count}.0/24`, ...values };
    return server().admin.post(path, body);
  };

  test('defaults', async () => {
    const flow = (await server().admin.get('/flows/instances/?slug=default-authentication-flow')).body.results[0].pk;
    const made = await create({ client_networks: undefined });
    expect([made.status, made.body]).toMatchObject([
      201,
      {
        authorization_flow: flow,
        client_networks: '0.0.0.0/0, ::/0',
        shared_secret: expect.stringMatching(/^\w{40}$/),
        mfa_support: true,
        accept_app_passwords: false,
        require_message_authenticator: true,
        outpost_set: ['Gatehouse Embedded Outpost'],
      },
    ]);
    const { rows } = await sql<{ stored: string }>`select shared_secret as stored from provider_radius
      where pk = ${made.body.pk}`.execute(server().world.db.read);
    expect(rows[0]?.stored).not.toContain(made.body.shared_secret);
    await server().admin.delete(`${path}${made.body.pk}/`);
  });

  test.each([
    ['10.0.0.0/33', '“10.0.0.0/33” is not a network such as 192.0.2.0/24.'],
    ['10.0.0.0/8, example.com', '“example.com” is not a network such as 192.0.2.0/24.'],
    ['10.0.0.0/8,', '“” is not a network such as 192.0.2.0/24.'],
    [Array.from({ length: 201 }, (_, at) => `10.9.0.${at}`).join(), 'Enter no more than 200 networks.'],
  ])('the networks %s are refused', async (client_networks, complaint) => {
    const refused = await create({ client_networks });
    expect([refused.status, refused.body]).toMatchObject([400, { client_networks: [complaint] }]);
  });

  test('a network has one secret, however it is written', async () => {
    expect((await create({ client_networks: '172.16.0.0/12, 2001:db8::/32' })).status).toBe(201);
    for (const same of ['172.20.1.1/12', '::ffff:172.16.0.0/108', '2001:0db8:0::/32'])
      expect((await create({ client_networks: same })).body.client_networks).toEqual([
        `Another provider has the network ${same}.`,
      ]);
    expect((await create({ client_networks: '172.20.0.0/16' })).status).toBe(201);
  });

  test('refuses a part of a network whose provider the caller may not change', async () => {
    const above = (await create({ client_networks: '10.200.0.0/16' })).body.pk;
    const delegate = await server().user(['svc_providers_radius.add_radiusprovider']);
    const part = { name: 'part', client_networks: '10.200.7.0/24' };
    const refused = await delegate.api.post(path, part);
    expect([refused.status, refused.body]).toEqual([
      403,
      {
        detail: 'A network is in that of a provider that you may not change.',
        code: 'permission_denied',
        required: 'svc_providers_radius.change_radiusprovider',
      },
    ]);
    await grantOn(server(), delegate.pk, 'svc_providers_radius.change_radiusprovider', above);
    expect((await delegate.api.post(path, part)).status).toBe(201);
  });

  test('who may view a provider does not see the secret of its clients', async () => {
    const { pk } = (await create({ shared_secret: 'the secret of the access points' })).body;
    const reader = await server().user(['svc_providers_radius.view_radiusprovider']);
    for (const read of [`${path}${pk}/`, path, '/outposts/radius/?page_size=100']) {
      const { status, text } = await reader.api.get(read);
      expect([status, text.includes('the secret of the access points')]).toEqual([200, false]);
    }
    const holder = await server().user([
      'svc_providers_radius.view_radiusprovider',
      'svc_providers_radius.view_radiusprovider_secret',
    ]);
    expect((await holder.api.get(`${path}${pk}/`)).body.shared_secret).toBe('the secret of the access points');
  });

  test('outposts read what is served, and callers ask for their access', async () => {
    const { admin } = server();
    const expression = 'return {"Filter-Id": user.username}';
    const mapping = (await admin.post('/propertymappings/provider/radius/', { name: 'filter', expression })).body;
    expect(mapping).toMatchObject({ component: 'xak-property-mapping-provider-radius-form' });
    const { pk } = (await create({ name: 'wifi', property_mappings: [mapping.pk] })).body;
    const listed = async () => (await admin.get('/outposts/radius/?name=wifi')).body.results[0];
    // Without an application, nothing is served.
    expect(await listed()).toBeUndefined();
    expect((await admin.get(`/outposts/radius/${pk}/check_access/`)).status).toBe(404);

    await admin.post('/core/applications/', { name: 'Wi-Fi', slug: 'wifi', provider: pk });
    const served = { pk, auth_flow_slug: 'default-authentication-flow', application_slug: 'wifi' };
    expect(await listed()).toMatchObject(served);
    expect((await admin.get(`/outposts/radius/${pk}/check_access/?app_slug=other`)).status).toBe(404);
    const someone = await server().user();
    const access = async () => (await someone.api.get(`/outposts/radius/${pk}/check_access/?app_slug=wifi`)).body;
    const packet = Buffer.from((await access()).attributes, 'base64');
    expect([packet[0], packet.readUInt16BE(2), packet[20]]).toEqual([2, packet.length, 11]);
    expect(packet.subarray(22).toString()).toBe(someone.username);
    // A mapping that fails denies access.
    await admin.patch(`/propertymappings/provider/radius/${mapping.pk}/`, { expression: 'return user.no.where' });
    expect(await access()).toEqual({ access: { passing: false, messages: [], log_messages: [] } });
    await admin.patch(`/propertymappings/provider/radius/${mapping.pk}/`, { expression });
    await admin.patch('/core/applications/wifi/', { enabled: false });
    expect(await access()).toEqual({ access: { passing: false, messages: [], log_messages: [] } });
  });

  test.each([
    ['client_networks__iexact=2001:DB8:AA::/48', true],
    ['client_networks__iexact=2001:db8::/48', false],
    ['name__iexact=FILTERED', true],
    ['application__isnull=true', true],
    ['application__isnull=false', false],
    ['authorization_flow__slug__iexact=Default-Authentication-Flow', true],
  ])('the filter %s', async (query, isFound) => {
    await create({ name: 'filtered', client_networks: '2001:db8:aa::/48' });
    const { results } = (await server().admin.get(`${path}?${query}&page_size=100`)).body;
    expect(results.some(({ name }: { name: string }) => name === 'filtered')).toBe(isFound);
  });
});
