import { expect, test } from 'vitest';
import { grantOn } from '../../support/grants.ts';
import { behindProxy } from '../../support/protected-host.ts';
import { describeOnBoth } from '../../support/server.ts';

const path = '/providers/proxy/';
const ownAddress = ['This is the address of Gatehouse itself. Enter that of the application.'];
let count = 0;

describeOnBoth(
  'settings of proxy providers',
  (server) => {
    const create = (values: Record<string, unknown> = {}) => {
      count += 1;
      const body = {
        name: `proxy ${count}`,
        mode: 'forward_single',
        external_host: `https://set-${count}.example.com`,
      };
      return server().admin.post(path, { ...body, ...values });
    };

    test('refuse the address of Gatehouse itself', async () => {
      const created = await create();
      expect(created.status).toBe(201);
      for (const external_host of ['http://id.example.com', 'https://ID.example.com.', 'http://id.example.com/app']) {
        const refused = await create({ external_host });
        expect([external_host, refused.status, refused.body.external_host]).toEqual([external_host, 400, ownAddress]);
        const changed = await server().admin.patch(`${path}${created.body.pk}/`, { external_host });
        expect([changed.status, changed.body.external_host]).toEqual([400, ownAddress]);
      }
      const proxied = { mode: 'proxy', internal_host: 'http://10.0.0.5' };
      expect((await create({ ...proxied, external_host: 'http://id.example.com' })).body.external_host).toEqual(
        ownAddress,
      );
      const other = await create({ external_host: 'http://id.example.com:8443' });
      expect(other.status).toBe(201);
    });

    test('refuse the host of a brand', async () => {
      const domain = `brand-${count}.example.com`;
      expect((await server().admin.post('/core/brands/', { domain })).status).toBe(201);
      expect((await create({ external_host: `https://${domain}` })).body.external_host).toEqual(ownAddress);
    });

    test('refuse a host of a domain whose provider the caller may not change', async () => {
      const domain = {
        mode: 'forward_domain',
        external_host: 'https://auth.taken.example',
        cookie_domain: 'taken.example',
      };
      const above = (await create(domain)).body.pk;
      const delegate = await server().user(['svc_providers_proxy.add_proxyprovider']);
      const below = { name: 'below', mode: 'forward_single', external_host: 'https://app.taken.example' };
      const refused = await delegate.api.post(path, below);
      expect([refused.status, refused.body]).toEqual([
        403,
        {
          detail: 'A provider for the whole domain covers this host, and you may not change it.',
          code: 'permission_denied',
          required: 'svc_providers_proxy.change_proxyprovider',
        },
      ]);
      await grantOn(server(), delegate.pk, 'svc_providers_proxy.change_proxyprovider', above);
      expect((await delegate.api.post(path, below)).status).toBe(201);
    });

    test('accept the address of Gatehouse for a whole domain, which leaves its pages alone', async () => {
      const domain = { mode: 'forward_domain', external_host: 'http://id.example.com', cookie_domain: 'example.com' };
      const created = await create(domain);
      expect(created.status).toBe(201);
      const signIn = await server().nobody.get('/root/config/', { host: 'id.example.com' });
      expect(signIn.status).toBe(200);
      expect((await server().admin.delete(`${path}${created.body.pk}/`)).status).toBe(204);
    });

    test('refuse patterns that do not compile, and too many or too long ones', async () => {
      const created = await create({ skip_path_regex: '^/public/\n\n  ^/assets/  ' });
      expect(created.status).toBe(201);
      const wrong = {
        '^/public/\n^/(': 'Invalid Regex Pattern: ^/(',
        '[z-a]': 'Invalid Regex Pattern: [z-a]',
        '*': 'Invalid Regex Pattern: *',
        [Array.from({ length: 51 }, () => 'a').join('\n')]: 'At most 50 patterns are allowed.',
        ['a'.repeat(501)]: 'A pattern may have 500 characters at most.',
      };
      for (const [skip_path_regex, complaint] of Object.entries(wrong)) {
        const refused = await create({ skip_path_regex });
        expect([refused.status, refused.body.skip_path_regex]).toEqual([400, [complaint]]);
        const changed = await server().admin.patch(`${path}${created.body.pk}/`, { skip_path_regex });
        expect(changed.body.skip_path_regex).toEqual([complaint]);
      }
      const { body } = await server().admin.get(`${path}${created.body.pk}/`);
      expect(body.skip_path_regex).toContain('^/assets/');
    });

    test('are listed as outposts read them, without secrets', async () => {
      const { admin } = server();
      const external_host = 'https://listed.example.com';
      const { body } = await admin.post('/providers/proxy/', {
        ...{ name: 'listed', mode: 'forward_single', external_host, access_token_validity: 'minutes=10' },
      });
      expect((await admin.get('/outposts/proxy/?name=listed')).body.results).toEqual([]);
      await admin.post('/core/applications/', { name: 'Listed', slug: 'listed', provider: body.pk });
      const { results } = (await admin.get('/outposts/proxy/?name=listed')).body;
      expect(results).toEqual([
        expect.objectContaining({
          ...{ pk: body.pk, external_host, client_id: body.client_id, access_token_validity: 600 },
          ...{ assigned_application_slug: 'listed', assigned_application_name: 'Listed' },
          scopes_to_request: ['email', 'gatehouse_proxy', 'openid', 'profile'],
        }),
      ]);
      expect(results[0].oidc_configuration.jwks_uri).toMatch(/\/application\/proxy\/listed\/jwks\/$/);
      expect(Object.keys(results[0]).filter((name) => name.includes('secret'))).toEqual([]);
      const viewer = await server().user(['svc_providers_proxy.view_proxyprovider']);
      expect((await viewer.api.get('/outposts/proxy/?name=listed')).body.results).toHaveLength(1);
      expect((await (await server().user()).api.get('/outposts/proxy/')).status).toBe(403);
    });

    test('need an internal host for the mode proxy, also when only the mode changes', async () => {
      const complaint = ['Internal host cannot be empty when forward auth is disabled.'];
      expect((await create({ mode: 'proxy' })).body.internal_host).toEqual(complaint);
      const { body } = await create();
      expect((await server().admin.patch(`${path}${body.pk}/`, { mode: 'proxy' })).body.internal_host).toEqual(
        complaint,
      );
    });
  },
  { env: behindProxy },
);
