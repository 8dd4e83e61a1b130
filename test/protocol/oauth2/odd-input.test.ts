import { expect, test } from 'vitest';
import { asForm, makeRelyingParty, stranger, visitor } from '../../support/relying-party.ts';
import { describeOnBoth } from '../../support/server.ts';

describeOnBoth('odd input to endpoints of OAuth2', (server) => {
  const odd = ['%00', '%F0%9F%92%A9', '..%2f..', "'", '%25', 'a'.repeat(400)];

  test('in the query is refused, never a server error', async () => {
    await makeRelyingParty(server());
    const { visit } = await visitor(server());
    for (const text of odd) {
      const paths = [
        `/application/o/${text}/jwks/`,
        `/application/o/${text}/.well-known/openid-configuration`,
        `/.well-known/oauth-authorization-server/application/o/${text}/`,
        `/application/o/${text}/end-session/`,
        `/application/o/end-session/?id_token_hint=${text}&client_id=${text}&after=${text}`,
        `/application/o/authorize/?ticket=${text}`,
        `/application/o/authorize/?client_id=${text}&redirect_uri=${text}`,
        `/application/o/authorize/?client_id=${text}&signed_in_since=${text}`,
        `/device?code=${text}&done=`,
      ];
      for (const path of paths) expect([path, (await visit(path)).status < 500]).toEqual([path, true]);
    }
  });

  test('in forms is refused, never a server error', async () => {
    const { clientId: client_id, clientSecret: client_secret } = await makeRelyingParty(server());
    const { visit } = stranger(server());
    for (const text of odd) {
      const value = decodeURIComponent(text);
      for (const path of ['/application/o/par/', '/application/o/device/', '/device', '/application/o/authorize/']) {
        const form = { client_id, client_secret, scope: value, redirect_uri: value, resource: value, claims: value };
        expect([path, (await visit(path, asForm(form))).status < 500]).toEqual([path, true]);
      }
    }
    const upload = new FormData();
    upload.set('client_id', client_id);
    for (const path of ['/application/o/par/', '/device', '/application/o/end-session/']) {
      expect((await visit(path, { method: 'POST', body: upload })).status).toBeLessThan(500);
    }
  });
});
