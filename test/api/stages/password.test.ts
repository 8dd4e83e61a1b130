import { expect, test } from 'vitest';
import { describeOnSqlite } from '../../support/server.ts';

describeOnSqlite('password stages', (server) => {
  test('refuse the LDAP backend with words that say why, and list what they take', async () => {
    const ldap = 'svc.sources.ldap.auth.LDAPBackend';
    const { status, body } = await server().admin.post('/stages/password/', { name: 'by LDAP', backends: [ldap] });
    expect(status).toBe(400);
    expect(body).toEqual({
      backends: {
        0: [
          `"${ldap}" is not a valid choice. This server does not support it yet. ` +
            'Valid choices: svc.core.auth.InbuiltBackend, svc.core.auth.TokenBackend.',
        ],
      },
    });
  });
});
