import { expect, test } from 'vitest';
import { callback, makeRelyingParty, signInTo, visitor } from '../support/relying-party.ts';
import { describeOnBoth } from '../support/server.ts';

// Everybody without an address was the same person to clients that know people by it.
describeOnBoth('class 59: nobody is told apart by nothing', (server) => {
  const asking = (clientId: string) => ({
    client_id: clientId,
    redirect_uri: callback,
    response_type: 'code',
    scope: 'openid',
  });

  test('who has no address gets no code from a client that knows people by it', async () => {
    const { clientId } = await makeRelyingParty(server(), { sub_mode: 'user_email' });
    const { location } = await (await visitor(server())).authorize(asking(clientId));
    expect(location?.searchParams.get('error')).toBe('access_denied');
    expect(location?.searchParams.has('code')).toBe(false);
  });

  test('who has one is known by it', async () => {
    const party = await makeRelyingParty(server(), { sub_mode: 'user_email' });
    const person = await server().user([], { email: 'known@example.com' });
    const { tokens } = await signInTo(server(), party, await visitor(server(), person));
    expect(tokens.claims()?.sub).toBe('known@example.com');
  });

  test('an empty name elsewhere is not taken for one', async () => {
    const party = await makeRelyingParty(server(), { sub_mode: 'user_upn' });
    const person = await server().user([], { attributes: { upn: '' } });
    const { tokens } = await signInTo(server(), party, await visitor(server(), person));
    expect(tokens.claims()?.sub).toMatch(/^[0-9a-f]{64}$/);
  });
});
