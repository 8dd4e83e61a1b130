import { expect, test } from 'vitest';
import { makeFlow, makeSource, unique } from '../api/sources/fixtures.ts';
import { describeOnBoth, type TestServer } from '../support/server.ts';

const sourceOf = async (server: TestServer, kind: string) => {
  const flow = await makeFlow(server, 'stage_configuration');
  const values: Record<string, Record<string, unknown>> = {
    oauth: { provider_type: 'github', consumer_key: 'k', consumer_secret: 's' },
    saml: { pre_authentication_flow: flow.pk, sso_url: 'https://idp.example.com/' },
    mediasrc: { plex_token: 't' },
  };
  return makeSource(server, kind, values[kind] ?? {});
};

// Whoever rewrote the identifier of their own link was signed in when its real owner came.
describeOnBoth('the owner of a connection cannot change its identifier', (server) => {
  test.each(['oauth', 'saml', 'mediasrc'])('%s', async (kind) => {
    const path = `/sources/user_connections/${kind}/`;
    const owner = await server().user();
    const source = await sourceOf(server(), kind);
    const secret = kind === 'mediasrc' ? { plex_token: 't' } : {};
    const body = { user: owner.pk, source: source.pk, identifier: unique('mine'), ...secret };
    const { pk } = (await server().admin.post(path, body)).body;
    const stolen = { ...body, identifier: unique('somebody-elses') };
    expect((await owner.api.patch(`${path}${pk}/`, { identifier: stolen.identifier })).status).toBe(403);
    expect((await owner.api.put(`${path}${pk}/`, stolen)).status).toBe(403);
    expect((await owner.api.put(`${path}${pk}/`, body)).status).toBe(200);
    expect((await server().admin.get(`${path}${pk}/`)).body.identifier).toBe(body.identifier);
    expect((await server().admin.patch(`${path}${pk}/`, { identifier: stolen.identifier })).status).toBe(200);
  });
});
