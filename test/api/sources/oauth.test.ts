import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';
import { grantOn } from '../../support/grants.ts';
import { describeOnBoth } from '../../support/server.ts';
import { makeFlow, makeSource, unique } from './fixtures.ts';

const github = { provider_type: 'github', consumer_key: 'key', consumer_secret: 'a-client-secret' };
const custom = {
  provider_type: 'openidconnect',
  consumer_key: 'key',
  consumer_secret: 'a-client-secret',
};
const addresses = {
  authorization_url: 'https://idp.example.com/authorize',
  access_token_url: 'https://idp.example.com/token',
  profile_url: 'https://idp.example.com/userinfo',
};

describeOnBoth('OAuth sources', (server) => {
  test('a known service needs no URLs', async () => {
    const { admin, world } = server();
    const slug = unique('github');
    const events = await eventsDuring(server(), async () => {
      const made = await admin.post('/sources/oauth/', { name: 'GitHub', slug, ...github });
      expect(made.status).toBe(201);
      expect(made.body).toMatchObject({
        name: 'GitHub',
        slug,
        component: 'xak-source-oauth-form',
        verbose_name: 'OAuth Source',
        meta_model_name: 'svc_sources_oauth.oauthsource',
        icon: '/static/sources/oauth.svg',
        group_matching_mode: 'identifier',
        provider_type: 'github',
        request_token_url: null,
        authorization_url: null,
        access_token_url: null,
        profile_url: null,
        consumer_key: 'key',
        callback_url: `${world.config.publicUrl}/source/oauth/callback/${slug}/`,
        additional_scopes: '',
        type: {
          name: 'github',
          verbose_name: 'GitHub',
          urls_customizable: true,
          request_token_url: null,
          authorization_url: 'https://github.com/login/oauth/authorize',
          access_token_url: 'https://github.com/login/oauth/access_token',
          profile_url: 'https://api.github.com/user',
          oidc_well_known_url: null,
          oidc_jwks_url: null,
        },
        oidc_well_known_url: '',
        oidc_jwks_url: '',
        oidc_jwks: {},
      });
      expect(made.text).not.toContain('consumer_secret');
      expect(made.text).not.toContain('a-client-secret');
      const icon = await fetch(`${server().url}${made.body.icon}`);
      expect(icon.status).toBe(200);
    });
    expect(events.map(({ action }) => action)).toEqual(['model_created']);
    expect(JSON.stringify(events)).not.toContain('a-client-secret');
  });

  test('the secret is sealed, and kept by writes that do not name it', async () => {
    const { admin, world } = server();
    const source = await makeSource(server(), 'oauth', github);
    const stored = async () => {
      const { rows } = await sql<{
        consumer_secret: string;
      }>`select consumer_secret from source_oauth where pk = ${source.pk}`.execute(world.db.read);
      return rows[0]?.consumer_secret;
    };
    const before = await stored();
    expect(before).not.toContain('a-client-secret');
    expect((await admin.patch(`/sources/oauth/${source.slug}/`, { name: 'other' })).status).toBe(200);
    expect(await stored()).toBe(before);
    const put = await admin.put(`/sources/oauth/${source.slug}/`, {
      name: 'n',
      slug: source.slug,
      provider_type: 'github',
      consumer_key: 'k',
    });
    expect([put.status, put.body]).toEqual([400, { consumer_secret: ['This field is required.'] }]);
  });

  test('a custom service requires its URLs or a discovery document', async () => {
    const { admin } = server();
    const post = (values: Record<string, unknown>) =>
      admin.post('/sources/oauth/', { name: 'n', slug: unique('oidc'), ...custom, ...values });
    const bare = await post({});
    expect([bare.status, bare.body]).toEqual([
      400,
      {
        non_field_errors: [
          'authorization_url is required for provider OpenID Connect',
          'access_token_url is required for provider OpenID Connect',
          'profile_url is required for provider OpenID Connect',
        ],
        authorization_url: ['This field is required.'],
        access_token_url: ['This field is required.'],
        profile_url: ['This field is required.'],
      },
    ]);
    const two = await post({ ...addresses, profile_url: null });
    expect(two.body).toEqual({
      non_field_errors: ['profile_url is required for provider OpenID Connect'],
      profile_url: ['This field is required.'],
    });
    expect((await post(addresses)).status).toBe(201);
    const told = await post({ oidc_well_known_url: 'https://idp.example.com/.well-known/openid-configuration' });
    expect(told.status).toBe(201);
    const patched = await admin.patch(`/sources/oauth/${told.body.slug}/`, { oidc_well_known_url: '' });
    expect(patched.status).toBe(400);
  });

  test('every bad value is named', async () => {
    const bad = await server().admin.post('/sources/oauth/', {
      name: 'n',
      slug: 'n',
      provider_type: 'myspace',
      consumer_key: '',
      consumer_secret: '',
      authorization_url: 'javascript:alert(1)',
      access_token_url: 'file:///etc/passwd',
      profile_url: `https://example.com/${'x'.repeat(255)}`,
      oidc_well_known_url: 'gopher://example.com',
      oidc_jwks: null,
    });
    expect(bad.body).toEqual({
      provider_type: [expect.stringContaining('"myspace" is not a valid choice.')],
      consumer_key: ['This field may not be blank.'],
      consumer_secret: ['This field may not be blank.'],
      authorization_url: ['Enter a valid URL.'],
      access_token_url: ['Enter a valid URL.'],
      profile_url: ['Ensure this field has no more than 255 characters.'],
      oidc_well_known_url: ['Enter a valid URL.'],
      oidc_jwks: ['This field may not be null.'],
    });
  });

  test('source_types/ lists the services with the addresses they publish', async () => {
    const { api } = await server().user();
    const { body } = await api.get('/sources/oauth/source_types/');
    expect(body.map(({ name }: { name: string }) => name)).toEqual([
      'apple',
      'openidconnect',
      'azuread',
      'discord',
      'facebook',
      'github',
      'gitlab',
      'google',
      'mailcow',
      'oauth2',
      'okta',
      'patreon',
      'reddit',
      'twitch',
      'twitter',
    ]);
    for (const type of body) {
      for (const [name, url] of Object.entries(type)) {
        if (name.endsWith('_url') && url) expect(new URL(url as string).protocol).toBe('https:');
      }
    }
    const one = await api.get('/sources/oauth/source_types/?name=google');
    expect(one.body).toMatchObject([{ name: 'google', urls_customizable: false }]);
    expect((await api.get('/sources/oauth/source_types/?name=myspace')).body).toEqual([]);
    expect((await server().nobody.get('/sources/oauth/source_types/')).status).toBe(403);
  });

  test('the list is narrowed by every filter', async () => {
    const { admin } = server();
    const flow = await makeFlow(server(), 'authentication');
    const source = await makeSource(server(), 'oauth', {
      ...custom,
      ...addresses,
      request_token_url: `https://idp.example.com/${unique('request')}`,
      consumer_key: unique('key'),
      additional_scopes: unique('scope'),
      oidc_jwks: { keys: [] },
      enabled: false,
      authentication_flow: flow.pk,
    });
    const found = async (query: string) =>
      (await admin.get(`/sources/oauth/?${query}&page_size=1000`)).body.results.map(
        ({ slug }: { slug: string }) => slug,
      );
    for (const query of [
      'provider_type=openidconnect',
      `authorization_url=${encodeURIComponent(addresses.authorization_url)}`,
      `access_token_url=${encodeURIComponent(addresses.access_token_url)}`,
      `profile_url=${encodeURIComponent(addresses.profile_url)}`,
      `request_token_url=${encodeURIComponent(source.request_token_url)}`,
      `consumer_key=${source.consumer_key}`,
      `additional_scopes=${source.additional_scopes}`,
      'has_jwks=true',
      'enabled=false',
      `authentication_flow=${flow.pk}`,
      `slug=${source.slug}`,
    ]) {
      expect([query, await found(query)]).toEqual([query, expect.arrayContaining([source.slug])]);
    }
    // Keys that the service publishes count as well.
    await admin.patch(`/sources/oauth/${source.slug}/`, { oidc_jwks: {} });
    expect(await found('has_jwks=true')).not.toContain(source.slug);
    const published = JSON.stringify({ from: 'https://x.example', jwks: { keys: [] } });
    await server().world.db.write((tx) =>
      sql`update source_oauth set oidc_discovered = ${published} where pk = ${source.pk}`.execute(tx),
    );
    expect(await found('has_jwks=true')).toContain(source.slug);
    for (const query of ['has_jwks=false', 'provider_type=github', 'provider_type=myspace', 'enabled=true']) {
      expect([query, await found(query)]).toEqual([query, expect.not.arrayContaining([source.slug])]);
    }
  });

  test('require permission, on all or on one', async () => {
    const source = await makeSource(server(), 'oauth', github);
    const path = `/sources/oauth/${source.slug}/`;
    const stranger = await server().user();
    for (const answer of [
      await stranger.api.get(path),
      await stranger.api.get('/sources/oauth/'),
      await stranger.api.post('/sources/oauth/', {}),
      await stranger.api.patch(path, {}),
      await stranger.api.delete(path),
      await stranger.api.get(`${path}used_by/`),
    ]) {
      expect(answer.status).toBe(403);
    }
    await grantOn(server(), stranger.pk, 'svc_sources_oauth.view_oauthsource', source.pk);
    expect((await stranger.api.get(path)).body).toEqual(source);
    expect((await stranger.api.patch(path, {})).status).toBe(403);
  });
});
