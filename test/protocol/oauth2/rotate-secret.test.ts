import { jwtVerify, SignJWT } from 'jose';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';
import { basicHeader, makeRelying, post, type Relying, tokensFor } from '../../support/oauth2.ts';
import { visitor } from '../../support/relying-party.ts';
import { describeOnBoth, type TestServer } from '../../support/server.ts';

const bytesOf = (secret: string) => new TextEncoder().encode(secret);

describeOnBoth('rotating a client secret', (server) => {
  const rotate = ({ provider }: Relying, body: Record<string, unknown> = {}) =>
    server().admin.post(`/providers/oauth2/${provider.pk}/rotate_secret/`, body);
  const statusWith = async ({ provider }: Relying, secret: string) => {
    const authorization = basicHeader(provider.client_id, secret);
    return (await post(server(), 'token', { grant_type: 'client_credentials' }, { authorization })).status;
  };

  test('accepts both secrets until the previous one expires, with one event', async () => {
    const relying = await makeRelying(server());
    const before = relying.provider.client_secret;
    const events = await eventsDuring(server(), async () => {
      const { status, body } = await rotate(relying);
      expect(status).toBe(200);
      expect(body.client_secret).toHaveLength(128);
      expect(body.client_secret).not.toBe(before);
      expect([await statusWith(relying, before), await statusWith(relying, body.client_secret)]).toEqual([200, 200]);
      await expire(server(), relying);
      expect([await statusWith(relying, before), await statusWith(relying, body.client_secret)]).toEqual([401, 200]);
    });
    const [rotated, ...others] = events.filter(
      ({ action }) => action === 'secret_rotate' || action === 'model_updated',
    );
    expect(others).toEqual([]);
    expect(rotated?.context).toMatchObject({ model: { name: relying.provider.name } });
    expect(JSON.stringify(events)).not.toContain(before);
  });

  test('a client that still has the previous secret verifies its tokens, signs its requests and shows its ID tokens', async () => {
    const relying = await makeRelying(server(), { signing_key: null, id_token_signed_response_alg: 'HS256' });
    const { client_id, client_secret: before } = relying.provider;
    const person = await server().user();
    const browser = await visitor(server(), person);
    const idTokenWith = async (secret: string): Promise<string> => {
      const as = { ...relying, basic: basicHeader(client_id, secret) };
      const { id_token } = await tokensFor(server(), as, person.pk);
      await jwtVerify(id_token, bytesOf(secret), { algorithms: ['HS256'] });
      return id_token;
    };
    const asked = {
      client_id,
      redirect_uri: relying.provider.redirect_uris[0].url,
      response_type: 'code',
      scope: 'openid',
    };
    const pushes = async (secret: string): Promise<number> => {
      const request = await new SignJWT(asked)
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuer(client_id)
        .setAudience(relying.issuer)
        .setExpirationTime('1m')
        .sign(bytesOf(secret));
      const authorization = basicHeader(client_id, secret);
      return (await post(server(), 'par', { client_id, request }, { authorization })).status;
    };
    const errorFor = async (id_token_hint: string): Promise<string | null | undefined> => {
      const { location } = await browser.authorize({ ...asked, prompt: 'none', id_token_hint });
      return location?.searchParams.get('error');
    };
    const issued = await idTokenWith(before);
    const { client_secret: after } = (await rotate(relying)).body;
    for (const secret of [before, after]) {
      expect([await pushes(secret), await errorFor(await idTokenWith(secret))]).toEqual([201, null]);
    }
    expect(await errorFor(issued)).toBeNull();
    await expire(server(), relying);
    expect([await pushes(before), await errorFor(issued)]).toEqual([401, 'login_required']);
  });

  test('refuses the previous secret at once if it is to have no overlap', async () => {
    const relying = await makeRelying(server());
    const { body } = await rotate(relying, { previous_valid_for: 'seconds=0' });
    expect(body.previous_secret_expires).toBeNull();
    expect(await statusWith(relying, relying.provider.client_secret)).toBe(401);
    expect(await statusWith(relying, body.client_secret)).toBe(200);
  });

  test('ends the overlap when an administrator enters a secret by hand', async () => {
    const relying = await makeRelying(server());
    await rotate(relying);
    await server().admin.patch(`/providers/oauth2/${relying.provider.pk}/`, { client_secret: 'entered by hand' });
    expect(await statusWith(relying, relying.provider.client_secret)).toBe(401);
    expect(await statusWith(relying, 'entered by hand')).toBe(200);
  });

  test('changes nothing for a second rotation but which secret is the previous one', async () => {
    const relying = await makeRelying(server());
    const first = (await rotate(relying)).body.client_secret;
    const second = (await rotate(relying)).body.client_secret;
    const statuses = await Promise.all(
      [relying.provider.client_secret, first, second].map((secret) => statusWith(relying, secret)),
    );
    expect(statuses).toEqual([401, 200, 200]);
  });

  test('refuses public clients, odd durations and callers who may not change the provider', async () => {
    const isPublic = await makeRelying(server(), { client_type: 'public' });
    expect((await rotate(isPublic)).status).toBe(400);
    const relying = await makeRelying(server());
    for (const previous_valid_for of ['days=31', 'hours=-1', 'soon', 5, null]) {
      const { status, body } = await rotate(relying, { previous_valid_for });
      expect([status, Object.keys(body)]).toEqual([400, ['previous_valid_for']]);
    }
    const { api: reader } = await server().user(['svc_providers_oauth2.view_oauth2provider']);
    expect((await reader.post(`/providers/oauth2/${relying.provider.pk}/rotate_secret/`, {})).status).toBe(403);
    expect(await statusWith(relying, relying.provider.client_secret)).toBe(200);
  });

  test('refuses an empty secret for a confidential client without keys', async () => {
    const { provider } = await makeRelying(server());
    const emptied = await server().admin.patch(`/providers/oauth2/${provider.pk}/`, { client_secret: '' });
    expect([emptied.status, emptied.body]).toEqual([
      400,
      { client_secret: ['A confidential client needs a secret, or keys of its own.'] },
    ]);
  });
});

const expire = ({ world }: TestServer, { provider }: Relying) =>
  world.db.write((tx) =>
    sql`update provider_oauth2 set previous_secret_expires = '2020-01-01T00:00:00.000000Z' where pk = ${provider.pk}`.execute(
      tx,
    ),
  );
