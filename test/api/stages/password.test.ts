import { expect, test } from 'vitest';
import { describeOnSqlite } from '../../support/server.ts';

describeOnSqlite('password stages', (server) => {
  test('take the backends of this server and of LDAP sources, and list them where another one is sent', async () => {
    const ldap = 'svc.sources.ldap.auth.LDAPBackend';
    const made = await server().admin.post('/stages/password/', { name: 'by LDAP', backends: [ldap] });
    expect([made.status, made.body.backends]).toEqual([201, [ldap]]);
    const { status, body } = await server().admin.post('/stages/password/', { name: 'other', backends: ['other'] });
    expect([status, body]).toEqual([
      400,
      { backends: { 0: [expect.stringContaining(`svc.core.auth.TokenBackend, ${ldap}.`)] } },
    ]);
  });
});
