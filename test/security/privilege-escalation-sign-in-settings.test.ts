import { expect, test } from 'vitest';
import type { Answer, Api } from '../support/api.ts';
import { eventsDuring } from '../support/events.ts';
import { made, unique } from '../support/make-walk.ts';
import { mappingsOf } from '../support/oauth2.ts';
import { makeProvider } from '../support/providers.ts';
import { callback, makeRelyingParty, visitor } from '../support/relying-party.ts';
import { describeOnBoth } from '../support/server.ts';

const apiScope = 'gatehouse/api';

// Mail servers, matching modes, keys and the scope of the API, set by a user who is no superuser.
describeOnBoth('privilege escalation: settings by which people sign in are for superusers', (server) => {
  const firstOf = async (path: string) => (await server().admin.get(path)).body.results[0];
  const attacks: Record<string, [rights: string[], attack: (api: Api) => Promise<Answer>]> = {
    'the mail server of an e-mail stage': [
      ['svc_stages_email.view_emailstage', 'svc_stages_email.change_emailstage'],
      async (api) => {
        const stage = await made(server(), '/stages/email/', { name: unique('mail') });
        const slug = unique('flow');
        const names = { name: slug, slug, title: slug, designation: 'recovery' };
        const flow = await made(server(), '/flows/instances/', names);
        await made(server(), '/flows/bindings/', { target: flow.pk, stage: stage.pk, order: 0 });
        return api.patch(`/stages/email/${stage.pk}/`, { use_global_settings: false, host: 'mail.evil.example' });
      },
    ],
    'the matching mode of a source': [
      ['svc_sources_mediasrc.view_mediasrcsource', 'svc_sources_mediasrc.change_mediasrcsource'],
      async (api) => {
        const slug = unique('media');
        await made(server(), '/sources/mediasrc/', { name: slug, slug, plex_token: 't' });
        return api.patch(`/sources/mediasrc/${slug}/`, { user_matching_mode: 'username_link' });
      },
    ],
    'a new source that is enabled': [
      ['svc_sources_oauth.add_oauthsource'],
      (api) =>
        api.post('/sources/oauth/', {
          name: 'x',
          slug: unique('oauth'),
          provider_type: 'github',
          consumer_key: 'k',
          consumer_secret: 's',
          user_matching_mode: 'username_link',
          enabled: true,
        }),
    ],
    'a property mapping of a source': [
      ['svc_sources_oauth.view_oauthsourcepropertymapping', 'svc_sources_oauth.change_oauthsourcepropertymapping'],
      async (api) => {
        const path = '/propertymappings/source/oauth/';
        const mapping = await made(server(), path, { name: unique('m'), expression: 'return {}' });
        const slug = unique('oauth');
        const keys = { provider_type: 'github', consumer_key: 'k', consumer_secret: 's' };
        const mappings = { user_property_mappings: [mapping.pk] };
        await made(server(), '/sources/oauth/', { name: slug, slug, ...keys, ...mappings });
        return api.patch(`${path}${mapping.pk}/`, { expression: 'return {username:"admin"}' });
      },
    ],
    'the signing key': [
      ['svc_crypto.view_certificatekeypair', 'svc_crypto.change_certificatekeypair'],
      async (api) => {
        const pair = await firstOf('/crypto/certificatekeypairs/?has_key=true');
        return api.patch(`/crypto/certificatekeypairs/${pair.pk}/`, { name: 'mine' });
      },
    ],
    'a new mapping for the scope of the API': [
      ['svc_providers_oauth2.add_scopemapping'],
      (api) =>
        api.post('/propertymappings/provider/scope/', {
          name: unique('m'),
          scope_name: apiScope,
          expression: 'return {}',
        }),
    ],
    'a mapping renamed to the scope of the API': [
      ['svc_providers_oauth2.view_scopemapping', 'svc_providers_oauth2.change_scopemapping'],
      async (api) => {
        const body = { name: unique('m'), scope_name: 'harmless', expression: 'return {}' };
        const { pk } = await made(server(), '/propertymappings/provider/scope/', body);
        return api.patch(`/propertymappings/provider/scope/${pk}/`, { scope_name: apiScope });
      },
    ],
    'a new client with the scope of the API': [
      ['svc_providers_oauth2.add_oauth2provider'],
      async (api) =>
        api.post('/providers/oauth2/', {
          name: unique('p'),
          authorization_flow: (await firstOf('/flows/instances/?designation=authorization')).pk,
          redirect_uris: [{ matching_mode: 'strict', url: 'https://evil.example/' }],
          property_mappings: await mappingsOf(server(), [apiScope]),
        }),
    ],
    'a new redirect URI for a client with the scope of the API': [
      ['svc_providers_oauth2.view_oauth2provider', 'svc_providers_oauth2.change_oauth2provider'],
      async (api) => {
        const { pk } = await makeProvider(server(), { property_mappings: await mappingsOf(server(), [apiScope]) });
        return api.patch(`/providers/oauth2/${pk}/`, {
          redirect_uris: [{ matching_mode: 'strict', url: 'https://evil.example/' }],
          property_mappings: [],
        });
      },
    ],
  };

  test.each(Object.entries(attacks))('%s', async (_, [rights, attack]) => {
    const delegate = await server().user(rights);
    expect((await attack(delegate.api)).status).toBe(403);
    expect((await attack(server().admin)).status).toBeLessThan(300);
  });

  test('other clients can be created with the permission to add providers', async () => {
    const delegate = await server().user(['svc_providers_oauth2.add_oauth2provider']);
    const { status } = await delegate.api.post('/providers/oauth2/', {
      name: unique('p'),
      authorization_flow: (await firstOf('/flows/instances/?designation=authorization')).pk,
      redirect_uris: [{ matching_mode: 'strict', url: 'https://app.example/' }],
      property_mappings: await mappingsOf(server(), ['openid', 'profile']),
    });
    expect(status).toBe(201);
  });

  const asking = (clientId: string, scope: string) => ({
    client_id: clientId,
    redirect_uri: callback,
    response_type: 'code',
    scope,
    state: 's',
  });

  test('a flow without consent gives no client the scope of the API', async () => {
    const { clientId } = await makeRelyingParty(server());
    const browser = await visitor(server());
    const plain = await browser.authorize(asking(clientId, 'openid'));
    expect(plain.location?.searchParams.has('code')).toBe(true);
    const events = await eventsDuring(server(), async () => {
      const { location } = await browser.authorize(asking(clientId, `openid ${apiScope}`));
      expect(location?.searchParams.get('error')).toBe('access_denied');
      expect(location?.searchParams.has('code')).toBe(false);
    });
    expect(events.map(({ action }) => action)).toContain('configuration_error');
  });

  test('a flow with consent names the scope of the API, and gives it after consent', async () => {
    const flow = 'default-provider-authorization-explicit-consent';
    const { clientId } = await makeRelyingParty(server(), {}, flow);
    const browser = await visitor(server());
    const { location } = await browser.authorize(asking(clientId, `openid ${apiScope}`));
    expect(location?.pathname).toContain(flow);
    const step = await browser.answerStep(flow);
    expect(step.permissions.map(({ id }: { id: string }) => id)).toContain(apiScope);
    const back = await browser.visit(await browser.agree(flow));
    expect(back.location?.searchParams.has('code')).toBe(true);
  });
});
