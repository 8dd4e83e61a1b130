import { expect, test } from 'vitest';
import { lastEvents } from '../../support/events.ts';
import { callback, makeRelying, post, tokensFor } from '../../support/oauth2.ts';
import { makeRelyingParty, stranger, visitor } from '../../support/relying-party.ts';
import { acs, authnRequest, makeServiceProvider, redirectQuery } from '../../support/saml-sp.ts';
import { describeOnBoth, type TestServer } from '../../support/server.ts';

const turn = ({ admin }: TestServer, slug: string, enabled: boolean) =>
  admin.patch(`/core/applications/${slug}/`, { enabled });

describeOnBoth('an application that is switched off', (server) => {
  test('lets no user in by OAuth2, says so on a page, and leads back to the client with the error', async () => {
    const { clientId: client_id, slug, application } = await makeRelyingParty(server());
    await turn(server(), slug, false);
    const asking = { client_id, redirect_uri: callback, response_type: 'code', scope: 'openid', state: 's' };
    const someone = await visitor(server());
    for (const browser of [someone, stranger(server())]) {
      const page = await browser.authorize(asking);
      expect([page.status, page.location]).toEqual([403, null]);
      expect(page.text).toContain(`${application.name} is switched off`);
      expect(page.text).toContain(`${callback}?error=access_denied`);
    }
    const silent = await someone.authorize({ ...asking, prompt: 'none' });
    expect(silent.location?.searchParams.get('error_description')).toBe('The application is disabled.');
    const [event] = (await lastEvents(server(), 20)).filter(({ action }) => action === 'policy_execution');
    expect(event).toMatchObject({
      context: { message: 'The application is disabled.', application: { name: application.name } },
    });
    await turn(server(), slug, true);
    expect((await someone.authorize(asking)).location?.searchParams.get('code')).toBeTruthy();
  });

  test('gives no tokens, and those it gave are worth nothing until it is switched on', async () => {
    const relying = await makeRelying(server());
    const { access_token, refresh_token } = await tokensFor(server(), relying, (await server().user()).pk, {
      scope: ['openid', 'offline_access', 'gatehouse/api'],
    });
    const by = { authorization: relying.basic };
    const state = async () => [
      (await post(server(), 'introspect', { token: access_token }, by)).body.active,
      (await post(server(), 'introspect', { token: refresh_token }, by)).body.active,
      (await server().as(access_token).get('/application/o/userinfo/')).status,
      (await server().as(access_token).get('/api/v3/core/users/me/')).status,
    ];
    expect(await state()).toEqual([true, true, 200, 200]);
    await turn(server(), relying.slug, false);
    expect(await state()).toEqual([false, false, 401, 403]);
    const refresh = { grant_type: 'refresh_token', refresh_token };
    const refused = await post(server(), 'token', refresh, by);
    expect(refused.body).toEqual({ error: 'invalid_grant', error_description: 'The application is disabled.' });
    const machine = await post(server(), 'token', { grant_type: 'client_credentials' }, by);
    expect(machine.body.error_description).toBe('The application is disabled.');
    await turn(server(), relying.slug, true);
    expect(await state()).toEqual([true, true, 200, 200]);
    expect((await post(server(), 'token', refresh, by)).status).toBe(200);
  });

  test('lets no user in by SAML', async () => {
    const sp = await makeServiceProvider(server());
    await turn(server(), sp.slug, false);
    const request = (attributes = {}) =>
      `${sp.at('sso/binding/redirect/')}?${redirectQuery(authnRequest({ attributes }))}`;
    const browser = await visitor(server());
    const page = await browser.visit(request());
    expect([page.status, page.text.includes('is switched off')]).toEqual([403, true]);
    const silent = await browser.visit(request({ IsPassive: 'true' }));
    expect(silent.text).toContain(acs);
  });

  test('is no tile, and the explanation of access says why', async () => {
    const { admin } = server();
    const { slug, application } = await makeRelyingParty(server());
    const dana = await server().user(['svc_core.view_application', 'svc_policies.view_policybinding']);
    const tiles = async () =>
      (await dana.api.get('/core/applications/?page_size=100')).body.results.map((one: { slug: string }) => one.slug);
    expect(await tiles()).toContain(slug);
    await turn(server(), slug, false);
    expect(await tiles()).not.toContain(slug);
    expect((await dana.api.get(`/core/applications/${slug}/check_access/`)).body.passing).toBe(false);
    const asked = await dana.api.get(`/policies/explain/?user=${dana.pk}&target=${application.pk}`);
    expect(asked.body).toMatchObject({ passing: false, nodes: [{ enabled: false, passing: false, bindings: [] }] });
    const all = (await admin.get('/core/applications/?enabled=false&superuser_full_list=true')).body.results;
    expect(all.map((one: { slug: string }) => one.slug)).toContain(slug);
  });
});
