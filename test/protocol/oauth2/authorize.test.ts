import { expect, test } from 'vitest';
import { callback, makeRelyingParty, stranger, visitor } from '../../support/relying-party.ts';
import { describeOnBoth } from '../../support/server.ts';

describeOnBoth('the authorize endpoint', (server) => {
  test('gives a code to a client whose flow asks nothing', async () => {
    const party = await makeRelyingParty(server());
    const { authorize } = await visitor(server());
    const { status, location, headers } = await authorize({
      client_id: party.clientId,
      response_type: 'code',
      redirect_uri: callback,
      scope: 'openid email unheard-of',
      state: 'as it was',
    });
    expect(status).toBe(302);
    expect(`${location?.origin}${location?.pathname}`).toBe(callback);
    expect(location?.searchParams.get('code')).toMatch(/^[\w-]{43}$/);
    expect(location?.searchParams.get('state')).toBe('as it was');
    // RFC 9207
    expect(location?.searchParams.get('iss')).toBe(`${server().world.config.publicUrl}/application/o/${party.slug}/`);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('sends nobody anywhere before client and redirect URI are proven', async () => {
    const party = await makeRelyingParty(server());
    const { authorize } = await visitor(server());
    const good = { client_id: party.clientId, response_type: 'code', redirect_uri: callback };
    const attempts: Record<string, string>[] = [
      { ...good, client_id: 'nobody' },
      { ...good, redirect_uri: 'https://evil.example/callback' },
      { client_id: party.clientId, response_type: 'code' },
      { response_type: 'code', redirect_uri: callback },
    ];
    for (const params of attempts) {
      const { status, location, headers } = await authorize(params);
      expect([status, location]).toEqual([400, null]);
      expect(headers.get('content-type')).toContain('text/html');
    }
  });

  test('lets strangers sign in first, and leads them back', async () => {
    const party = await makeRelyingParty(server());
    const params = { client_id: party.clientId, response_type: 'code', redirect_uri: callback };
    const { location } = await stranger(server()).authorize(params);
    expect(location?.pathname).toBe('/if/flow/default-authentication-flow/');
    const back = new URL(location?.searchParams.get('next') ?? '', server().url);
    expect(back.pathname).toBe('/application/o/authorize/');
    expect((await (await visitor(server())).visit(back)).location?.searchParams.has('code')).toBe(true);
  });
});
