import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eventsAbout } from '../../support/events.ts';
import { grantOn } from '../../support/grants.ts';
import { describeOnBoth } from '../../support/server.ts';

import { getForHost } from './get-for-host.ts';

const path = '/core/brands/';

describeOnBoth('brands', (server) => {
  const make = async (domain: string, more = {}) => {
    const { status, body } = await server().admin.post(path, { domain, ...more });
    expect(status).toBe(201);
    return body;
  };
  const current = async (host: string) => {
    const { status, body } = await getForHost(`${server().url}/api/v3${path}current/`, host);
    expect([host, status]).toEqual([host, 200]);
    return body;
  };

  test('a new brand looks like the server and names no flows', async () => {
    const made = await make('plain.example');
    expect(made).toEqual({
      brand_uuid: expect.any(String),
      domain: 'plain.example',
      default: false,
      branding_title: 'Gatehouse',
      branding_logo: '/static/logo.svg',
      branding_favicon: '/static/favicon.svg',
      branding_default_flow_background: '',
      flow_authentication: null,
      flow_invalidation: null,
      flow_recovery: null,
      flow_unenrollment: null,
      flow_user_settings: null,
      flow_device_code: null,
      default_application: null,
      web_certificate: null,
      attributes: {},
    });
    expect((await server().admin.get(`${path}${made.brand_uuid}/`)).body).toEqual(made);
    expect((await eventsAbout(server(), made.brand_uuid)).map(({ action }) => action)).toEqual(['model_created']);
  });

  test('logo and browser icon can be uploaded, and uploads go when nothing shows them', async () => {
    const [brand, other] = [await make('pictured.example'), await make('also-pictured.example')];
    const at = `${path}${brand.brand_uuid}/`;
    const upload = (content: string, api = server().admin) => {
      const form = new FormData();
      form.set('file', new Blob([content]), '../../logo.svg');
      return api.send('POST', `${at}set_branding_logo/`, form);
    };
    const logo = async (): Promise<string> => (await server().admin.get(at)).body.branding_logo;
    const served = async (address: string) => fetch(`${server().url}${address}`);
    expect((await upload('<svg xmlns="http://www.w3.org/2000/svg"/>')).status).toBe(200);
    const first = await logo();
    expect(first).toMatch(/^\/media\/[0-9a-f-]{36}\.svg$/);
    const answer = await served(first);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect(answer.headers.get('content-security-policy')).toContain('sandbox');
    expect((await current('pictured.example')).branding_logo).toBe(first);
    await server().admin.patch(`${path}${other.brand_uuid}/`, { branding_logo: first });
    await server().admin.patch(at, { branding_logo: 'https://cdn.example/logo.png' });
    expect((await served(first)).status).toBe(200);
    await server().admin.delete(`${path}${other.brand_uuid}/`);
    expect((await served(first)).status).toBe(404);
    for (const content of ['', '<html></html>', 'x'.repeat(100)]) expect((await upload(content)).status).toBe(400);
    const clear = new FormData();
    clear.set('clear', 'true');
    expect((await server().admin.send('POST', `${at}set_branding_logo/`, clear)).status).toBe(200);
    expect(await logo()).toBe('/static/logo.svg');
    const { api } = await server().user(['svc_brands.view_brand', 'svc_brands.change_brand']);
    expect((await upload('<svg xmlns="http://www.w3.org/2000/svg"/>', api)).status).toBe(403);
    expect((await eventsAbout(server(), brand.brand_uuid)).at(-1)).toMatchObject({ action: 'model_updated' });
  });

  test('only one brand is the default', async () => {
    const { admin } = server();
    const defaults = async () => (await admin.get(`${path}?default=true`)).body.results;
    const [standard, ...others] = await defaults();
    expect(others).toEqual([]);
    const kept = await admin.patch(`${path}${standard.brand_uuid}/`, { default: true, branding_title: 'Gatehouse' });
    expect(kept.status).toBe(200);

    const made = await make('other.example');
    expect((await admin.patch(`${path}${made.brand_uuid}/`, { default: true })).status).toBe(200);
    expect(await defaults()).toMatchObject([{ brand_uuid: made.brand_uuid }]);
    expect((await current('nobody-has-this.example')).matched_domain).toBe('other.example');
    expect((await eventsAbout(server(), standard.brand_uuid)).at(-1)).toMatchObject({
      action: 'model_updated',
      context: { diff: { default: { previous_value: true, new_value: false } } },
    });

    const added = await admin.post(path, { domain: 'second.example', default: true });
    expect(added.status).toBe(201);
    expect(await defaults()).toMatchObject([{ brand_uuid: added.body.brand_uuid }]);
    expect((await admin.patch(`${path}${standard.brand_uuid}/`, { default: true })).status).toBe(200);
    expect(await defaults()).toMatchObject([{ brand_uuid: standard.brand_uuid }]);
  });

  test('there is always a default brand', async () => {
    const { admin } = server();
    const [standard] = (await admin.get(`${path}?default=true`)).body.results;
    const at = `${path}${standard.brand_uuid}/`;
    const given = await admin.patch(at, { default: false });
    expect([given.status, given.body]).toEqual([
      400,
      { default: ['There must be a default brand. Make another brand the default instead.'] },
    ]);
    const deleted = await admin.delete(at);
    expect([deleted.status, deleted.body]).toEqual([
      400,
      { non_field_errors: ['The default brand cannot be deleted. Make another brand the default first.'] },
    ]);
    expect((await admin.get(`${path}?default=true`)).body.results).toMatchObject([{ brand_uuid: standard.brand_uuid }]);
  });

  test('domains are unique whatever their case', async () => {
    expect((await make('MiXed.Example.')).domain).toBe('mixed.example');
    expect((await server().admin.post(path, { domain: 'mixed.EXAMPLE' })).body).toEqual({
      domain: ['Brand with this domain already exists.'],
    });
    expect((await server().admin.post(path, {})).body).toEqual({ domain: ['This field is required.'] });
  });

  test('the brand of a host is the one with the longest domain above it', async () => {
    await make('acme.test', { branding_title: 'Acme' });
    await make('eu.acme.test', { branding_title: 'Acme Europe' });
    expect((await current('acme.test')).branding_title).toBe('Acme');
    expect((await current('www.acme.test')).matched_domain).toBe('acme.test');
    expect((await current('login.eu.acme.test')).branding_title).toBe('Acme Europe');
    expect((await current('LOGIN.EU.ACME.TEST')).branding_title).toBe('Acme Europe');
    expect((await current('notacme.test')).matched_domain).toBe('gatehouse-default');
    expect((await current('acme.test.evil.example')).matched_domain).toBe('gatehouse-default');
  });

  test('domains and hosts are compared literally', async () => {
    await make('%', { branding_title: 'Everything' });
    await make('_.test', { branding_title: 'One letter' });
    await make('a%e.test', { branding_title: 'Wild' });
    expect((await current('x.test')).matched_domain).toBe('gatehouse-default');
    expect((await current('www.abe.test')).matched_domain).toBe('gatehouse-default');
    expect((await current('%.acme2.test')).matched_domain).toBe('gatehouse-default');
    expect((await current(`${'a.'.repeat(2000)}test`)).matched_domain).toBe('gatehouse-default');
  });

  test('anybody may read the current brand: looks, links, and flows by their slugs', async () => {
    const flow = (await server().admin.get('/flows/instances/default-password-change/')).body;
    const settings = { locale: 'de', theme: { base: 'dark' } };
    await make('full.test', { flow_recovery: flow.pk, attributes: { settings } });
    expect(await current('full.test')).toEqual({
      matched_domain: 'full.test',
      branding_title: 'Gatehouse',
      branding_logo: '/static/logo.svg',
      branding_favicon: '/static/favicon.svg',
      ui_footer_links: [],
      ui_theme: 'dark',
      ui_layout: 'centred',
      ui_background: null,
      ui_style: null,
      flow_recovery: 'default-password-change',
      default_locale: 'de',
    });
    await make('odd.test', { attributes: { settings: { theme: 'x', locale: 7 } } });
    expect(await current('odd.test')).toMatchObject({ ui_theme: 'automatic', default_locale: '' });
    const standard = await current('localhost');
    expect(standard).toMatchObject({
      flow_authentication: 'default-authentication-flow',
      flow_invalidation: 'default-invalidation-flow',
      flow_user_settings: 'default-user-settings-flow',
    });
    for (const address of ['branding_logo', 'branding_favicon']) {
      expect((await fetch(`${server().url}${standard[address]}`)).status).toBe(200);
    }
  });

  test('brands are filtered and searched', async () => {
    const flow = (await server().admin.get('/flows/instances/default-invalidation-flow/')).body;
    const made = await make('filter.test', { branding_title: 'Filtered', flow_device_code: flow.pk });
    const found = async (query: string) =>
      (await server().admin.get(`${path}?${query}`)).body.results.map(({ domain }: { domain: string }) => domain);
    for (const query of [
      'domain=filter.test',
      'branding_title=Filtered',
      `flow_device_code=${flow.pk}`,
      `brand_uuid=${made.brand_uuid}`,
      'search=FILTERED',
    ]) {
      expect([query, await found(query)]).toEqual([query, ['filter.test']]);
    }
    expect(await found('default=true')).toEqual(['gatehouse-default']);
  });

  test('brands require permission', async () => {
    const made = await make('guarded.test');
    expect((await server().nobody.get(path)).status).toBe(403);
    const user = await server().user();
    expect((await user.api.get(path)).status).toBe(403);
    await grantOn(server(), user.pk, 'svc_brands.view_brand', made.brand_uuid);
    expect((await user.api.get(path)).body.results).toEqual([made]);
    expect((await user.api.patch(`${path}${made.brand_uuid}/`, { branding_title: 'x' })).status).toBe(403);
  });

  test('the current brand has defaults when no brand exists', async () => {
    await server().world.db.write((tx) => sql`delete from brands`.execute(tx));
    expect(await current('localhost')).toMatchObject({ matched_domain: 'fallback', branding_title: 'Gatehouse' });
    expect((await server().admin.post(path, { domain: 'again', default: true })).status).toBe(201);
  });
});
