import { expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';
import { grantOn } from '../../support/grants.ts';
import { describeOnBoth } from '../../support/server.ts';
import { makeSource, unique } from './fixtures.ts';

const github = { provider_type: 'github', consumer_key: 'k', consumer_secret: 's' };
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describeOnBoth('sources of every kind', (server) => {
  test('sources of all kinds are listed with common members and their kind', async () => {
    const { admin } = server();
    const oauth = await makeSource(server(), 'oauth', github);
    const { body } = await admin.get(`/sources/all/${oauth.slug}/`);
    expect(body).toEqual({
      pk: oauth.pk,
      name: oauth.name,
      slug: oauth.slug,
      enabled: true,
      authentication_flow: null,
      enrollment_flow: null,
      user_property_mappings: [],
      group_property_mappings: [],
      component: 'xak-source-oauth-form',
      verbose_name: 'OAuth Source',
      verbose_name_plural: 'OAuth Sources',
      meta_model_name: 'svc_sources_oauth.oauthsource',
      policy_engine_mode: 'any',
      user_matching_mode: 'identifier',
      managed: null,
      user_path_template: 'gatehouse/sources/%(slug)s',
      icon: null,
    });
    for (const query of [`slug=${oauth.slug}`, `name=${encodeURIComponent(oauth.name)}`, `search=${oauth.slug}`]) {
      expect((await admin.get(`/sources/all/?${query}`)).body.results).toEqual([body]);
    }
  });

  test('the built-in source of a fresh install cannot be deleted', async () => {
    const { admin } = server();
    const { body } = await admin.get('/sources/all/?managed=gatehouse/sources/inbuilt');
    expect(body.results).toMatchObject([
      {
        slug: 'gatehouse-built-in',
        managed: 'gatehouse/sources/inbuilt',
        component: '',
        verbose_name: 'source',
        verbose_name_plural: 'sources',
        meta_model_name: 'svc_core.source',
      },
    ]);
    const events = await eventsDuring(server(), async () => {
      const gone = await admin.delete('/sources/all/gatehouse-built-in/');
      expect([gone.status, gone.body]).toEqual([400, { non_field_errors: ['The built-in source cannot be deleted.'] }]);
    });
    expect(events).toEqual([]);
    expect((await admin.get('/sources/all/gatehouse-built-in/')).status).toBe(200);
    const taken = await admin.post('/sources/oauth/', { name: 'n', slug: 'gatehouse-built-in', ...github });
    expect(taken.body).toEqual({ slug: ['source with this slug already exists.'] });
  });

  test('types/ names the kinds that can be made', async () => {
    const { api } = await server().user();
    const { status, body } = await api.get('/sources/all/types/');
    expect(status).toBe(200);
    const names = body.map(({ name, component, model_name }: Record<string, string>) => [name, component, model_name]);
    expect(names).toEqual([
      ['LDAP Source', 'xak-source-ldap-form', 'ldapsource'],
      ['Mediasrc Source', 'xak-source-mediasrc-form', 'mediasrcsource'],
      ['OAuth Source', 'xak-source-oauth-form', 'oauthsource'],
      ['SAML Source', 'xak-source-saml-form', 'samlsource'],
      ['SCIM Source', 'xak-source-scim-form', 'scimsource'],
    ]);
  });

  test('the list of all sources shows viewable kinds; only superusers delete', async () => {
    const source = await makeSource(server(), 'oauth', github);
    const media = await makeSource(server(), 'mediasrc', { plex_token: 't' });
    const path = `/sources/all/${source.slug}/`;
    expect((await server().nobody.get('/sources/all/')).status).toBe(403);
    expect((await (await server().user()).api.get(path)).status).toBe(403);
    const viewer = await server().user(['svc_sources_oauth.view_oauthsource']);
    expect((await viewer.api.get(path)).status).toBe(200);
    expect((await viewer.api.get(`/sources/all/${media.slug}/`)).status).toBe(404);
    expect((await viewer.api.delete(path)).status).toBe(403);
    const deleter = await server().user();
    for (const verb of ['view', 'delete'])
      await grantOn(server(), deleter.pk, `svc_sources_oauth.${verb}_oauthsource`, source.pk);
    expect((await deleter.api.delete(path)).status).toBe(403);
    const events = await eventsDuring(server(), async () => {
      expect((await server().admin.delete(path)).status).toBe(204);
    });
    expect(events).toMatchObject([{ action: 'model_deleted', context: { model: { model_name: 'oauthsource' } } }]);
    expect((await server().admin.get(`/sources/oauth/${source.slug}/`)).status).toBe(404);
  });

  test('icons are uploaded, addressed and cleared by those who may change the source', async () => {
    const { admin, url } = server();
    const source = await makeSource(server(), 'mediasrc', { plex_token: 't' });
    const iconOf = async () => (await admin.get(`/sources/mediasrc/${source.slug}/`)).body.icon as string;
    const upload = (fields: Record<string, string | Blob>) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      return admin.post(`/sources/all/${source.slug}/set_icon/`, form);
    };
    const viewer = await server().user(['svc_sources_mediasrc.view_mediasrcsource']);
    const address = `/sources/all/${source.slug}/set_icon_url/`;
    expect((await viewer.api.post(address, { url: 'https://example.com/i.png' })).status).toBe(403);

    const events = await eventsDuring(server(), async () => {
      expect((await upload({ file: new Blob([png]) })).status).toBe(200);
    });
    expect(events).toMatchObject([{ action: 'model_updated', context: { model: { model_name: 'mediasrcsource' } } }]);
    const served = await fetch(`${url}${await iconOf()}`);
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect((await admin.post(address, { url: 'https://example.com/i.png' })).status).toBe(200);
    expect(await iconOf()).toBe('https://example.com/i.png');
    expect((await admin.post(address, { url: '/static/logo.svg' })).status).toBe(200);
    expect(await iconOf()).toBe('/static/logo.svg');
    for (const bad of ['javascript:alert(1)', '../../etc/passwd', 'data:text/html,x', '']) {
      expect((await admin.post(address, { url: bad })).status).toBe(400);
    }
    expect((await upload({ clear: 'true' })).status).toBe(200);
    expect(await iconOf()).toBe('/static/sources/mediasrc.svg');
  });

  test('user_settings/ shows what the caller may link to', async () => {
    const { admin, nobody } = server();
    const open = await makeSource(server(), 'mediasrc', { plex_token: 'a-secret-token' });
    const disabled = await makeSource(server(), 'mediasrc', { plex_token: 't', enabled: false });
    const closed = await makeSource(server(), 'mediasrc', { plex_token: 't' });
    const friend = await server().user();
    await admin.post('/policies/bindings/', { target: closed.pk, user: friend.pk, order: 0 });
    expect((await nobody.get('/sources/all/user_settings/')).status).toBe(403);
    const seen = async (api = friend.api) => (await api.get('/sources/all/user_settings/')).body;
    const slugs = (settings: { object_uid: string }[]) => settings.map(({ object_uid }) => object_uid);
    expect(slugs(await seen())).toEqual(expect.arrayContaining([open.slug, closed.slug]));
    expect(slugs(await seen())).not.toContain(disabled.slug);
    const stranger = await seen((await server().user()).api);
    expect(slugs(stranger)).not.toContain(closed.slug);
    expect(stranger).toContainEqual({
      object_uid: open.slug,
      component: 'xak-user-settings-source-mediasrc',
      title: open.name,
      configure_url: open.client_id,
      icon_url: '/static/sources/mediasrc.svg',
    });
    expect(JSON.stringify(stranger)).not.toContain('a-secret-token');
  });

  test('user_settings/ asks policies as signing in by the source does, and records nothing', async () => {
    const { admin } = server();
    const { pk: target, slug } = await makeSource(server(), 'mediasrc', { plex_token: 't' });
    const expression = `return request.obj.slug === '${slug}' && is_sso`;
    const policy = await admin.post('/policies/expression/', {
      name: unique('p'),
      expression,
      execution_logging: true,
    });
    await admin.post('/policies/bindings/', { target, policy: policy.body.pk, order: 0 });
    const { api } = await server().user();
    const events = await eventsDuring(server(), async () => {
      const { body } = await api.get('/sources/all/user_settings/');
      expect(body).toContainEqual(expect.objectContaining({ object_uid: slug }));
    });
    expect(events).toEqual([]);
  });

  test('used_by names what a source is linked to', async () => {
    const { admin } = server();
    const source = await makeSource(server(), 'oauth', github);
    const user = await server().user();
    const identifier = unique('id');
    const made = await admin.post('/sources/user_connections/oauth/', { user: user.pk, source: source.pk, identifier });
    for (const path of [`/sources/oauth/${source.slug}/used_by/`, `/sources/all/${source.slug}/used_by/`]) {
      expect((await admin.get(path)).body).toContainEqual({
        app: 'svc_sources_oauth',
        model_name: 'useroauthsourceconnection',
        pk: String(made.body.pk),
        name: identifier,
        action: 'cascade',
      });
    }
  });
});
