import { expect, test } from 'vitest';
import { eventsDuring } from '../support/events.ts';
import { unique } from '../support/make-walk.ts';
import { makeRelying, post, tokensFor } from '../support/oauth2.ts';
import { callback, makeRelyingParty, signInTo, visitor } from '../support/relying-party.ts';
import { describeOnSqlite } from '../support/server.ts';

// Everybody without an address was the same person to clients that know people by it.
describeOnSqlite('the subject is never empty or shared', (server) => {
  const asking = (clientId: string) => ({
    client_id: clientId,
    redirect_uri: callback,
    response_type: 'code',
    scope: 'openid',
  });

  test('a user without an address gets no code where the subject is the address', async () => {
    const { clientId } = await makeRelyingParty(server(), { sub_mode: 'user_email' });
    const { location } = await (await visitor(server())).authorize(asking(clientId));
    expect(location?.searchParams.get('error')).toBe('access_denied');
    expect(location?.searchParams.has('code')).toBe(false);
  });

  test('a user with an address gets it as the subject', async () => {
    const party = await makeRelyingParty(server(), { sub_mode: 'user_email' });
    const person = await server().user([], { email: 'known@example.com' });
    const { tokens } = await signInTo(server(), party, await visitor(server(), person));
    expect(tokens.claims()?.sub).toBe('known@example.com');
  });

  test('a user who shares a upn with another gets no code, and an event says why', async () => {
    const party = await makeRelyingParty(server(), { sub_mode: 'user_upn' });
    const upn = `${unique('shared')}@corp.example`;
    const first = await server().user([], { attributes: { upn } });
    const { tokens } = await signInTo(server(), party, await visitor(server(), first));
    expect(tokens.claims()?.sub).toBe(upn);
    const second = await server().user([], { attributes: { upn: upn.toUpperCase() } });
    for (const person of [second, first]) {
      const events = await eventsDuring(server(), async () => {
        const { location } = await (await visitor(server(), person)).authorize(asking(party.clientId));
        expect(location?.searchParams.get('error')).toBe('access_denied');
        expect(location?.searchParams.has('code')).toBe(false);
      });
      expect(events.map(({ action, username }) => [action, username])).toContainEqual([
        'configuration_error',
        person.username,
      ]);
    }
  });

  test('a refresh token is refused once its user shares a upn with another', async () => {
    const relying = await makeRelying(server(), { sub_mode: 'user_upn' });
    const upn = unique('shared');
    const person = await server().user([], { attributes: { upn } });
    const { refresh_token } = await tokensFor(server(), relying, person.pk);
    const fields = { grant_type: 'refresh_token', refresh_token };
    await server().user([], { attributes: { upn } });
    const refused = await post(server(), 'token', fields, { authorization: relying.basic });
    expect([refused.status, refused.body.error]).toEqual([400, 'access_denied']);
  });

  test('a upn equal to the hashed subject of another user gets no code', async () => {
    const party = await makeRelyingParty(server(), { sub_mode: 'user_upn' });
    const { tokens } = await signInTo(server(), party, await visitor(server()));
    const thief = await server().user([], { attributes: { upn: tokens.claims()?.sub } });
    const { location } = await (await visitor(server(), thief)).authorize(asking(party.clientId));
    expect(location?.searchParams.get('error')).toBe('access_denied');
  });

  test('an empty upn is replaced by the hashed subject', async () => {
    const party = await makeRelyingParty(server(), { sub_mode: 'user_upn' });
    const person = await server().user([], { attributes: { upn: '' } });
    const { tokens } = await signInTo(server(), party, await visitor(server(), person));
    expect(tokens.claims()?.sub).toMatch(/^[0-9a-f]{64}$/);
  });
});
