import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';

import { bindExpression } from '../../support/make-walk.ts';
import {
  accessTokenType,
  admitClients,
  type Fields,
  makeRelying,
  post,
  type Relying,
  tokensFor,
  tradeToken,
} from '../../support/oauth2.ts';
import { describeOnBoth } from '../../support/server.ts';
import { signIn } from '../../support/session.ts';
import { dpopKey } from '../conformance/dpop-key.ts';

/** What a user has who acts for another. */
interface Given {
  readonly relying: Relying;
  readonly agent: number;
  readonly session: string;
  readonly access: string;
  readonly refresh: string;
}

const acting = (actor_token: string): Fields => ({ actor_token, actor_token_type: accessTokenType });

describeOnBoth('delegation by token exchange (RFC 8693 §1.1, §4.1)', (server, kind) => {
  const tokenOf = async (relying: Relying, user: number): Promise<string> =>
    (await tokensFor(server(), relying, user)).access_token;

  /** A client with the tokens of two people, one of whom can act for the other. */
  async function scene(values: Record<string, unknown> = {}) {
    const relying = await makeRelying(server(), values);
    const [person, agent] = [await server().user(), await server().user()];
    const [subject, actor] = [await tokenOf(relying, person.pk), await tokenOf(relying, agent.pk)];
    const trade = (fields: Fields = acting(actor), text = subject) => tradeToken(server(), relying, text, fields);
    return { relying, person, agent, subject, actor, trade };
  }

  const introspect = async ({ basic }: Relying, token: string) =>
    (await post(server(), 'introspect', { token }, { authorization: basic })).body;

  const actOf = (token: string) => decodeJwt(token).act;

  test('the new token names subject and actor, as do introspection and the event', async () => {
    const { relying, person, agent, subject, trade } = await scene({ sub_mode: 'user_username' });
    let token = '';
    const events = await eventsDuring(server(), async () => {
      const { status, body } = await trade();
      expect([status, body.issued_token_type, body.token_type]).toEqual([200, accessTokenType, 'Bearer']);
      expect([body.refresh_token, body.id_token]).toEqual([undefined, undefined]);
      token = body.access_token;
    });
    const act = { sub: agent.username, iss: relying.issuer, client_id: relying.provider.client_id };
    expect(decodeJwt(token)).toMatchObject({ sub: person.username, act });
    expect(await introspect(relying, token)).toMatchObject({ active: true, username: person.username, act });
    expect(await introspect(relying, subject)).not.toHaveProperty('act');
    expect(events.map(({ action, username }) => [action, username])).toEqual([
      ['authorize_application', person.username],
    ]);
    expect(events[0]?.context.actor).toEqual({ pk: agent.pk, email: expect.any(String), username: agent.username });
    const shown = await server().admin.get(`/oauth2/access_tokens/?user=${person.pk}`);
    expect(shown.body.results).toHaveLength(2);
    for (const { id_token } of shown.body.results) expect(JSON.parse(id_token)).not.toHaveProperty('act');
    const plain = await eventsDuring(server(), () => trade({}));
    expect(plain[0]?.context).not.toHaveProperty('actor');
  });

  test('the new token ends with the authorization of its user', async () => {
    const { relying, person, actor } = await scene();
    const own = await tokensFor(server(), relying, person.pk);
    const { access_token } = (await tradeToken(server(), relying, own.access_token, acting(actor))).body;
    expect((await introspect(relying, access_token)).active).toBe(true);
    await post(server(), 'revoke', { token: own.refresh_token }, { authorization: relying.basic });
    expect(await introspect(relying, access_token)).toEqual({ active: false });
  });

  test('no valid token is issued while the authorization of the actor is being revoked', async () => {
    const { relying, agent, subject } = await scene();
    for (let round = 0; round < 5; round += 1) {
      const given = await tokensFor(server(), relying, agent.pk);
      const [traded] = await Promise.all([
        tradeToken(server(), relying, subject, acting(given.access_token)),
        post(server(), 'revoke', { token: given.refresh_token }, { authorization: relying.basic }),
      ]);
      if (traded.status !== 200) expect(traded.body.error).toBe('invalid_request');
      else expect(await introspect(relying, traded.body.access_token)).toEqual({ active: false });
    }
  });

  const ends: Record<string, (given: Given) => Promise<unknown>> = {
    authorization: ({ relying, refresh }) =>
      post(server(), 'revoke', { token: refresh }, { authorization: relying.basic }),
    token: ({ relying, access }) => post(server(), 'revoke', { token: access }, { authorization: relying.basic }),
    session: ({ session }) => server().admin.delete(`/core/authenticated_sessions/${session}/`),
    account: ({ agent }) => server().admin.patch(`/core/users/${agent}/`, { is_active: false }),
  };

  test.each(Object.keys(ends))(
    'it ends with the %s of the actor, at once, with all that it was traded for',
    async (name) => {
      const { relying, agent, subject } = await scene();
      const { pk: session } = await signIn(server(), agent.pk);
      const given = await tokensFor(server(), relying, agent.pk, { session });
      const { body: first } = await tradeToken(server(), relying, subject, acting(given.access_token));
      const { body: second } = await tradeToken(server(), relying, first.access_token, { scope: 'openid' });
      const states = async () => [
        (await introspect(relying, first.access_token)).active,
        (await introspect(relying, second.access_token)).active,
        (await server().as(second.access_token).get('/application/o/userinfo/')).status,
      ];
      expect(await states()).toEqual([true, true, 200]);
      await ends[name]?.({
        relying,
        agent: agent.pk,
        session,
        access: given.access_token,
        refresh: given.refresh_token,
      });
      expect(await states()).toEqual([false, false, 401]);
      expect((await tradeToken(server(), relying, first.access_token)).body.error).toBe('invalid_request');
      expect((await introspect(relying, subject)).active).toBe(true);
    },
  );

  // What follows does not depend on the database.
  if (kind === 'postgres') return;

  test('malformed requests and invalid tokens are refused alike', async () => {
    const { relying, agent, actor, trade } = await scene();
    const other = await makeRelying(server());
    const given = await tokensFor(server(), relying, agent.pk);
    const revoked = await tokenOf(relying, agent.pk);
    await post(server(), 'revoke', { token: revoked }, { authorization: relying.basic });
    const brief = await makeRelying(server(), { access_token_validity: 'milliseconds=1' });
    await admitClients(server(), relying, [brief]);
    const meant = { terms: { resource: [relying.provider.client_id] } };
    const off = await server().user();
    const ofInactive = await tokenOf(relying, off.pk);
    await server().admin.patch(`/core/users/${off.pk}/`, { is_active: false });
    const delegated = (await trade()).body.access_token;
    const idTokenType = 'urn:ietf:params:oauth:token-type:id_token';
    const amiss: Fields[] = [
      { actor_token: actor },
      { actor_token_type: accessTokenType },
      { actor_token: '', actor_token_type: accessTokenType },
      { actor_token: given.id_token, actor_token_type: idTokenType },
      acting('x'.repeat(16_385)),
    ];
    for (const fields of amiss) {
      const { status, body } = await trade(fields);
      expect([fields, status, body.error]).toEqual([fields, 400, 'invalid_request']);
    }
    const bad = {
      unknown: 'x',
      'a refresh token': given.refresh_token,
      'an ID token': given.id_token,
      "another client's": await tokenOf(other, agent.pk),
      revoked,
      expired: (await tokensFor(server(), brief, agent.pk, meant)).access_token,
      'of somebody who is switched off': ofInactive,
      'got by acting': delegated,
    };
    for (const [name, token] of Object.entries(bad)) {
      const { status, body } = await trade(acting(token));
      const refusal = { error: 'invalid_request', error_description: 'The actor token is invalid or expired.' };
      expect([name, status, body]).toEqual([name, 400, expect.objectContaining(refusal)]);
      expect(Object.keys(body)).toEqual(Object.keys((await trade(acting('x'))).body));
    }
    expect((await trade()).status).toBe(200);
  });

  test('a token that another client exchanged for this one is accepted, and none outlives either', async () => {
    const { relying, agent, subject, trade } = await scene();
    const other = await makeRelying(server(), { access_token_validity: 'minutes=5' });
    await admitClients(server(), relying, [other]);
    const { client_id } = relying.provider;
    const meant = await tokensFor(server(), other, agent.pk, { terms: { resource: [client_id] } });
    const traded = decodeJwt((await trade(acting(meant.access_token))).body.access_token);
    expect(traded.exp).toBeLessThanOrEqual(decodeJwt(meant.access_token).exp as number);
    expect(traded.act).toMatchObject({ iss: relying.issuer, client_id: other.provider.client_id });
    const brief = await tokensFor(server(), other, agent.pk, { terms: { resource: [client_id] } });
    const swapped = decodeJwt((await trade(acting(subject), brief.access_token)).body.access_token);
    expect(swapped.exp).toBeLessThanOrEqual(decodeJwt(brief.access_token).exp as number);
  });

  test('earlier actors are nested below the current one, up to a limit', async () => {
    const { relying, agent, actor, subject, trade } = await scene();
    const other = await server().user();
    const first = (await trade()).body.access_token;
    const act = actOf(first);
    const back = await makeRelying(server());
    await admitClients(server(), back, [relying]);
    const events = await eventsDuring(server(), async () => {
      const meant = await trade({ audience: back.provider.client_id }, first);
      expect(actOf(meant.body.access_token)).toEqual(act);
      const onward = await tradeToken(server(), back, meant.body.access_token);
      expect(actOf(onward.body.access_token)).toEqual(act);
      const again = await tokenOf(back, other.pk);
      const nested = await tradeToken(server(), back, onward.body.access_token, acting(again));
      expect(actOf(nested.body.access_token)).toMatchObject({ iss: back.issuer, act });
    });
    const told = events.filter(({ action }) => action === 'authorize_application');
    expect(told.map(({ context }) => context.actor.pk)).toEqual([agent.pk, agent.pk, other.pk]);
    let token = subject;
    for (let depth = 1; depth <= 5; depth += 1) token = (await trade(acting(actor), token)).body.access_token;
    expect(JSON.stringify(actOf(token)).match(/"sub"/g)).toHaveLength(5);
    expect((await trade(acting(actor), token)).body.error).toBe('invalid_request');
    expect(actOf((await trade({}, token)).body.access_token)).toEqual(actOf(token));
    expect((await introspect(relying, token)).act).toEqual(actOf(token));
  });

  test('a DPoP-bound actor token needs a proof, and so does the new token', async () => {
    const { relying, agent, subject } = await scene();
    const [key, thief] = [await dpopKey(), await dpopKey()];
    const url = `${server().world.config.publicUrl}/application/o/token/`;
    const own = await tokenOf(relying, agent.pk);
    const bound = await tradeToken(server(), relying, own, {}, { dpop: await key.prove(url) });
    const trade = (headers: Record<string, string> = {}) =>
      tradeToken(server(), relying, subject, acting(bound.body.access_token), headers);
    expect((await trade()).body.error).toBe('invalid_dpop_proof');
    expect((await trade({ dpop: await thief.prove(url) })).body.error).toBe('invalid_dpop_proof');
    const { status, body } = await trade({ dpop: await key.prove(url) });
    expect([status, body.token_type]).toEqual([200, 'DPoP']);
    expect(decodeJwt(body.access_token)).toMatchObject({ cnf: { jkt: key.thumbprint }, act: { iss: relying.issuer } });
  });

  test('the policies of the application must allow both, also in further exchanges', async () => {
    const { relying, person, actor, subject, trade } = await scene();
    const back = await makeRelying(server());
    await admitClients(server(), back, [relying]);
    const only = `return request.user.username === "${person.username}"`;
    const meant = (await trade({ ...acting(actor), audience: back.provider.client_id })).body.access_token;
    await bindExpression(server(), back.application.pk, only);
    expect((await tradeToken(server(), back, meant)).body.error).toBe('invalid_request');
    const denied = await trade({ ...acting(actor), audience: back.provider.client_id });
    expect([denied.status, denied.body.error]).toEqual([400, 'invalid_request']);
    const plain = (await trade({ audience: back.provider.client_id })).body.access_token;
    expect((await tradeToken(server(), back, plain)).status).toBe(200);
    await bindExpression(server(), relying.application.pk, only);
    const refused = await trade();
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_request']);
    expect((await trade({}, subject)).status).toBe(200);
    expect((await trade(acting(subject), actor)).body.error).toBe('invalid_request');
  });

  test("the new token is refused by this server's own API", async () => {
    const { relying, person, actor } = await scene();
    const { access_token } = await tokensFor(server(), relying, person.pk, { scope: ['openid', 'gatehouse/api'] });
    const me = async (token: string) => (await server().as(token).get('/core/users/me/')).status;
    const plain = (await tradeToken(server(), relying, access_token)).body.access_token;
    const delegated = (await tradeToken(server(), relying, access_token, acting(actor))).body;
    expect(delegated.scope).toContain('gatehouse/api');
    expect([await me(access_token), await me(plain), await me(delegated.access_token)]).toEqual([200, 200, 403]);
  });
});
