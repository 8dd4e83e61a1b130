import { expect, test } from 'vitest';
import { exchangeCode, makeCode, makeRelying } from '../support/oauth2.ts';
import { describeOnSqlite } from '../support/server.ts';

// The check was skipped when the client sent no verifier (CVE-2023-48228).
describeOnSqlite('a code with a PKCE challenge', (server) => {
  test.each([undefined, '', 'short', 'x'.repeat(43), 'x'.repeat(129), '\u00e9'.repeat(43)])(
    'is refused with the verifier %s',
    async (code_verifier) => {
      const relying = await makeRelying(server());
      const { pk } = await server().user();
      const code = await makeCode(server(), relying, pk);
      const refused = await exchangeCode(server(), relying, code, { code_verifier });
      expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant']);
      // The code waits for the one who has its verifier.
      expect((await exchangeCode(server(), relying, code)).status).toBe(200);
    },
  );
});
