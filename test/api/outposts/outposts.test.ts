import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { isServedHereSql } from '../../../src/provider/outpost/served-here.ts';
import { extraMigration, withExtraKinds } from '../../kinds/extra-kinds.ts';
import { describeOnBoth } from '../../support/server.ts';

const path = '/outposts/instances/';
let count = 0;
const names = (answer: { body: { results: { name: string }[] } }) => answer.body.results.map(({ name }) => name);

describeOnBoth(
  'outposts',
  (server) => {
    const embedded = async () =>
      (await server().admin.get(`${path}?managed__iexact=gatehouse/outposts/embedded`)).body.results[0];
    const flow = async () =>
      (await server().admin.get('/flows/instances/?slug=default-provider-authorization-implicit-consent')).body
        .results[0].pk;
    const provider = async (kind = 'extra') => {
      count += 1;
      const body = {
        extra: { audience: 'all' },
        saml: { acs_url: 'https://sp.example.com/acs', audience: `https://sp-${count}.example.com` },
      }[kind];
      const answer = await server().admin.post(`/providers/${kind}/`, {
        name: `provider ${count}`,
        authorization_flow: await flow(),
        ...body,
      });
      expect(answer.status).toBe(201);
      return answer.body.pk as number;
    };
    const outpost = (providers: readonly number[], more = {}) => {
      count += 1;
      return server().admin.post(path, { name: `outpost ${count}`, type: 'radius', providers, config: {}, ...more });
    };
    const isServedHere = async (pk: number) => {
      const { rows } = await sql<{ is: unknown }>`select ${isServedHereSql(sql`p.pk`)} as is_here from providers p
        where p.pk = ${pk}`.execute(server().world.db.read);
      return Boolean((rows[0] as unknown as { is_here: unknown }).is_here);
    };

    test('the embedded outpost exists from the first start', async () => {
      const found = await embedded();
      expect(found).toMatchObject({
        name: 'Gatehouse Embedded Outpost',
        type: 'proxy',
        providers: [],
        providers_obj: [],
        service_connection: null,
        service_connection_obj: null,
        refresh_interval_s: 300,
        token_identifier: `xak-outpost-${found.pk}-api`,
        managed: 'gatehouse/outposts/embedded',
      });
    });

    test('the embedded outpost cannot be deleted, renamed or replaced', async () => {
      const { admin } = server();
      const { pk } = await embedded();
      const deleted = await admin.delete(`${path}${pk}/`);
      expect([deleted.status, deleted.body.non_field_errors]).toEqual([
        400,
        ['The embedded outpost cannot be deleted.'],
      ]);
      expect((await admin.patch(`${path}${pk}/`, { name: 'other' })).body.name).toEqual([
        "Embedded outpost's name cannot be changed",
      ]);
      expect((await admin.patch(`${path}${pk}/`, { type: 'ldap' })).status).toBe(400);
      expect((await admin.patch(`${path}${pk}/`, { managed: null })).status).toBe(400);
      const other = await outpost([await provider()]);
      expect(other.status).toBe(201);
      expect((await admin.patch(`${path}${other.body.pk}/`, { managed: 'gatehouse/outposts/embedded' })).status).toBe(
        400,
      );
      expect((await embedded()).pk).toBe(pk);
    });

    test('health lists this server for the embedded outpost and nothing for others', async () => {
      const { pk } = await embedded();
      const { status, body } = await server().admin.get(`${path}${pk}/health/`);
      expect(status).toBe(200);
      expect(body).toHaveLength(1);
      expect(body[0]).toMatchObject({ version_outdated: false, golang_version: '', openssl_enabled: true });
      expect(body[0].version).toBe(body[0].version_should);
      const other = await outpost([await provider()]);
      expect((await server().admin.get(`${path}${other.body.pk}/health/`)).body).toEqual([]);
    });

    test('default settings name the address of this server', async () => {
      const { body } = await server().admin.get(`${path}default_settings/`);
      expect(body.config).toMatchObject({ svc_host: server().world.config.publicUrl, refresh_interval: 'minutes=5' });
      expect((await server().nobody.get(`${path}default_settings/`)).status).toBe(403);
    });

    test('refuses an empty list of providers and providers of another type', async () => {
      const empty = await outpost([]);
      expect([empty.status, empty.body.providers]).toEqual([400, ['This list may not be empty.']]);
      const wrong = await outpost([await provider()], { type: 'ldap' });
      expect([wrong.status, wrong.body.providers]).toEqual([
        400,
        ["Outpost type ldap can't be used with ExtraProvider providers."],
      ]);
      const saml = await outpost([await provider('saml')]);
      expect(saml.body.providers).toEqual(["Outpost type radius can't be used with SAMLProvider providers."]);
      const { pk } = await embedded();
      const inEmbedded = await server().admin.patch(`${path}${pk}/`, { providers: [await provider('saml')] });
      expect(inEmbedded.status).toBe(400);
      expect((await outpost([await provider()], { type: 'rac' })).status).toBe(400);
    });

    test('refuses settings of a wrong type and accepts unknown ones', async () => {
      const pk = await provider();
      const wrong = await outpost([pk], { config: { log_level: 7 } });
      expect([wrong.status, wrong.body.config[0]]).toEqual([
        400,
        'Failed to validate config: wrong value type for field "log_level" - should be "string" instead of "number".',
      ]);
      expect((await outpost([pk], { config: { refresh_interval: 'soon' } })).status).toBe(400);
      for (const cluster_replicas of [-1, 1.5, 101])
        expect((await outpost([pk], { config: { cluster_replicas } })).body.config).toEqual([
          'Failed to validate config: cluster_replicas is not a whole number from 0 to 100.',
        ]);
      const right = await outpost([pk], {
        config: { refresh_interval: 'seconds=5', container_image: null, extra: [1] },
      });
      expect(right.body).toMatchObject({ refresh_interval_s: 30, config: { extra: [1] } });
    });

    test('a provider that no outpost lists is served here, one of another outpost is not', async () => {
      const pk = await provider();
      expect(await isServedHere(pk)).toBe(true);
      const other = await outpost([pk]);
      expect(await isServedHere(pk)).toBe(false);
      const { pk: own } = await embedded();
      expect((await server().admin.patch(`${path}${own}/`, { providers: [pk] })).status).toBe(200);
      expect(await isServedHere(pk)).toBe(true);
      await server().admin.patch(`${path}${own}/`, { providers: [] });
      expect(await isServedHere(pk)).toBe(false);
      expect((await server().admin.delete(`${path}${other.body.pk}/`)).status).toBe(204);
      expect(await isServedHere(pk)).toBe(true);
    });

    test('lists filter by name, mark, provider and service connection', async () => {
      const { admin } = server();
      const pk = await provider();
      const connection = await admin.post('/outposts/service_connections/container/', {
        name: `Harbor ${count}`,
        url: 'unix:///run/engine.sock',
      });
      const { body } = await outpost([pk], { service_connection: connection.body.pk });
      expect(body.service_connection_obj.name).toBe(connection.body.name);
      const found = async (query: string) => names(await admin.get(`${path}?${query}`));
      expect(await found(`name__iexact=${body.name.toUpperCase()}`)).toEqual([body.name]);
      expect(await found(`providers_by_pk=${pk}`)).toEqual([body.name]);
      expect(await found('service_connection__name__icontains=harbor')).toEqual([body.name]);
      expect(await found(`service_connection__name__iexact=${connection.body.name.toLowerCase()}`)).toEqual([
        body.name,
      ]);
      expect(await found('providers__isnull=true')).toEqual(['Gatehouse Embedded Outpost']);
      expect(await found('managed__icontains=EMBEDDED')).toEqual(['Gatehouse Embedded Outpost']);
      expect((await admin.get(`${path}?providers_by_pk=999999`)).status).toBe(400);
    });

    test('listing a provider takes the right to change it', async () => {
      const pk = await provider();
      const rights = ['svc_outposts.add_outpost', 'svc_outposts.view_outpost', 'svc_core.view_provider'];
      const { api } = await server().user(rights);
      const body = { name: `delegated ${count}`, type: 'radius', providers: [pk], config: {} };
      expect((await api.post(path, body)).status).toBe(403);
      const { api: stronger } = await server().user([...rights, 'svc_providers_extra.change_extraprovider']);
      expect((await stronger.post(path, body)).status).toBe(201);
    });

    test('no single right gives the token of an outpost, or more than it says', async () => {
      const { body } = await outpost([await provider()]);
      const key = `/core/tokens/${body.token_identifier}/view_key/`;
      expect((await server().admin.get(key)).body.key).toHaveLength(60);
      const rights = [
        ...['svc_outposts.view_outpost', 'svc_outposts.change_outpost', 'svc_outposts.add_outpost'],
        ...['svc_outposts.delete_outpost', 'svc_core.view_token', 'svc_core.view_token_key'],
        ...['svc_core.change_token', 'svc_core.delete_token'],
      ];
      for (const right of rights) {
        const { api } = await server().user([right]);
        const answers = [
          await api.get(key),
          await api.post(`/core/tokens/${body.token_identifier}/set_key/`, { key: 'x'.repeat(40) }),
          await api.patch(`/core/tokens/${body.token_identifier}/`, { description: 'mine' }),
          await api.delete(`/core/tokens/${body.token_identifier}/`),
        ];
        for (const { status } of answers) expect([right, [403, 404].includes(status)]).toEqual([right, true]);
      }
      const { api } = await server().user(['svc_outposts.change_outpost', 'svc_outposts.view_outpost']);
      const longer = await api.patch(`${path}${body.pk}/`, { config: { keep_decisions: 'days=30' } });
      expect([longer.status, longer.body.config]).toEqual([
        400,
        ['Failed to validate config: keep_decisions is not a duration of at most hours=1.'],
      ]);
      expect((await api.patch(`${path}${body.pk}/`, { config: { keep_decisions: 'seconds=0' } })).status).toBe(200);
    });
  },
  { extra: { kinds: withExtraKinds, migration: extraMigration } },
);
