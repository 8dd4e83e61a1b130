import { expect, test } from 'vitest';
import { callback, makeRelyingParty, visitor } from '../support/relying-party.ts';
import { makeServiceProvider } from '../support/saml-sp.ts';
import { describeOnBoth } from '../support/server.ts';

// A refresh token that an administrator got while acting as a user was good for months.
describeOnBoth('impersonation: creates no access that outlives the impersonation', (server) => {
  const acting = async () => {
    const admin = await server().user([
      'svc_core.impersonate',
      'svc_core.view_user',
      'svc_core.reset_user_password',
      'svc_core.add_user',
      'svc_core.add_token',
    ]);
    const person = await server().user(['svc_core.view_user', 'svc_core.reset_user_password']);
    const browser = await visitor(server(), admin);
    const begun = await browser.visit(`/api/v3/core/users/${person.pk}/impersonate/`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json', 'x-gatehouse-csrf': browser.jar.get('gatehouse_csrf') ?? '' },
    });
    expect(begun.status).toBe(204);
    return { browser, person };
  };

  test.each(['openid', 'openid offline_access'])('a client gets no code (%s)', async (scope) => {
    const { clientId } = await makeRelyingParty(server());
    const { browser } = await acting();
    const { location } = await browser.authorize({
      client_id: clientId,
      redirect_uri: callback,
      response_type: 'code',
      scope,
    });
    expect(location?.searchParams.get('error')).toBe('access_denied');
  });

  test('a SAML application signs no user in', async () => {
    const sp = await makeServiceProvider(server());
    const { browser } = await acting();
    const { status, text } = await browser.visit(sp.at('init/'));
    expect([status, text]).toEqual([
      403,
      expect.stringContaining('Impersonated sessions cannot authorize applications'),
    ]);
  });

  test('a device cannot be approved', async () => {
    const { browser } = await acting();
    const { status, text } = await browser.visit('/device');
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).toContain('Impersonated sessions cannot authorize applications');
  });

  test('no recovery link, password or token is created', async () => {
    const { browser } = await acting();
    const third = await server().user();
    const post = (path: string, body = {}) =>
      browser.visit(`/api/v3${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', 'x-gatehouse-csrf': browser.jar.get('gatehouse_csrf') ?? '' },
      });
    for (const answer of [
      await post(`/core/users/${third.pk}/recovery/`),
      await post(`/core/users/${third.pk}/set_password/`, { password: 'mine now, all of it' }),
      await post('/core/tokens/', { identifier: 'left-behind' }),
    ])
      expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('while you act as another user')]);
  });
});
