import { afterAll, expect, test } from 'vitest';
import { isWritable } from '../../src/resource/fields/field.ts';
import { until } from '../support/jobs.ts';
import { startScimTarget } from '../support/scim-target.ts';
import { describeOnSqlite } from '../support/server.ts';
import { localTargets, makeSyncProvider } from '../support/sync.ts';

const mine = await startScimTarget();
afterAll(() => mine.close());
const url = String(mine.settings.url);

const kinds = {
  scim: {
    model: 'svc_providers_scim.scimprovider',
    values: { url: 'https://scim.example/v2', token: 'a-token-of-the-company' },
    secret: { token: 'another-token' },
    addresses: ['url'],
  },
  cloud_directory: {
    model: 'svc_providers_cloud_directory.clouddirectoryprovider',
    values: { client_id: 'id', client_secret: 'a-secret-of-the-company', tenant_id: 'tenant' },
    secret: { client_secret: 'another-secret' },
    addresses: ['login_url', 'graph_url'],
  },
} as const;

// Whoever may change where a secret goes, but not see it, had it sent to a server of their own.
describeOnSqlite(
  'secret exfiltration: changing the address that a secret is sent to',
  (server) => {
    // Those who do not see the directory change no target at all.
    const rights = (model: string) => [
      ...['view', 'change'].map((verb) => model.replace('.', `.${verb}_`)),
      'svc_core.view_user',
      'svc_core.view_group',
    ];

    for (const [kind, { model, values, secret, addresses }] of Object.entries(kinds)) {
      const path = kind as keyof typeof kinds;
      const holding = (...more: string[]) => server().user([...rights(model), ...more]);

      test(`${kind}: what is sent back empty by who may not see it stays, at its address`, async () => {
        const { pk } = await makeSyncProvider(server().admin, path, values);
        const { api } = await holding();
        const one = `/providers/${kind}/${pk}/`;
        const seen = (await api.get(one)).body;
        for (const send of [api.put, api.patch]) expect((await send(one, seen)).status).toBe(200);
        expect((await server().admin.get(one)).body).toMatchObject(values);
        for (const address of addresses) {
          const moved = await api.put(one, { ...seen, [address]: url });
          expect([moved.status, Object.keys(moved.body)]).toEqual([400, Object.keys(secret)]);
        }
        // Whoever sees it means what they send.
        const [[name]] = Object.entries(secret) as [[string, string]];
        expect((await server().admin.patch(one, { [name]: '' })).body).toEqual({
          [name]: ['This field may not be blank.'],
        });
        await server().admin.delete(one);
      });

      for (const address of addresses) {
        test(`${kind}: ${address} is not changed without the secret by who may not see it`, async () => {
          const { pk } = await makeSyncProvider(server().admin, path, values);
          const { api } = await holding();
          const one = `/providers/${kind}/${pk}/`;
          const answer = await api.patch(one, { [address]: url });
          expect([answer.status, Object.keys(answer.body)]).toEqual([400, Object.keys(secret)]);
          expect((await api.patch(one, { name: `renamed-${pk}-${address}` })).status).toBe(200);
          expect((await api.patch(one, { [address]: url, ...secret })).status).toBe(200);
          const reader = await holding(`${model.replace('.', '.view_')}_secret`);
          expect((await reader.api.patch(one, { [address]: `${url}/other` })).status).toBe(200);
          await server().admin.delete(one);
        });
      }
    }

    test('is declared with the secret by every resource that others than superusers write', () => {
      // Clients send theirs to us; upstreams of proxy providers are set by superusers.
      const received = ['svc_providers_oauth2.oauth2provider', 'svc_providers_proxy.proxyprovider'];
      const silent = server().app.engine.registry.resources.filter(({ allFields, reaches, model }) => {
        const fields = Object.values(allFields);
        const isOpen = fields.some(({ secret, sentTo = [] }) => secret && sentTo.length === 0);
        const sends = Object.entries(allFields).some(
          ([name, field]) => isWritable(field) && /(^|_)(url|uri|host)(_|$)/.test(name),
        );
        return !reaches && isOpen && sends && !received.includes(model);
      });
      expect(silent.map(({ model }) => model)).toEqual([]);
    });

    test('does not get the secret that was there before', async () => {
      const { admin } = server();
      const { pk } = await makeSyncProvider(admin, 'scim', kinds.scim.values);
      const { api } = await server().user(rights(kinds.scim.model));
      await api.patch(`/providers/scim/${pk}/`, { url });
      await api.patch(`/providers/scim/${pk}/`, { url, token: 'mine' });
      await until(() => mine.requests.length > 0);
      expect(JSON.stringify(mine.requests)).not.toContain(kinds.scim.values.token);
      await admin.delete(`/providers/scim/${pk}/`);
    });
  },
  localTargets,
);
