import { connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, signInByPassword } from '../../support/flow-client.ts';
import { freePort } from '../../support/free-port.ts';
import { ldapPorts, makeDirectory } from '../../support/ldap-directory.ts';
import { ended, localDirectories, makeLdapSource, syncNow, userNamed } from '../../support/ldap-source.ts';
import { describeOnSqlite, type TestServer } from '../../support/server.ts';
import { findSlapd, personDn, personLdif, type Slapd, startSlapd, suffix } from '../../support/slapd.ts';

const hasSlapd = await findSlapd();
const backend = 'svc.sources.ldap.auth.LDAPBackend';
const local = 'svc.core.auth.InbuiltBackend';

async function useBackends({ admin }: TestServer, backends: readonly string[]): Promise<void> {
  const { results } = (await admin.get('/stages/password/')).body;
  for (const { pk } of results) await admin.patch(`/stages/password/${pk}/`, { backends });
}

/** Whether the password opens the account; else the message. */
async function signIn(server: TestServer, username: string, password: string): Promise<string> {
  const { body } = await signInByPassword(openBrowser(server), username, password);
  if (body.component === 'xak-flow-redirect') return 'signed in';
  return body.response_errors?.password?.[0]?.string ?? JSON.stringify(body);
}

const wrong = 'That password is not right.';
const unavailable = 'Your password cannot be checked at the moment. Please try again later.';
const passwordOf = (uid: string) => `${uid} has a long password`;

/** Stands between Gatehouse and a directory: passes on, says nothing, or hangs up after so many bytes of answers. */
async function startGate(port: number) {
  const own = await freePort();
  const sockets = new Set<Socket>();
  const gate = { port: own, mode: 'pass' as 'pass' | 'hang' | 'drop' | number, connections: 0, close: () => {} };
  const server = createServer((socket) => {
    gate.connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    if (gate.mode === 'drop') return socket.destroy();
    if (gate.mode === 'hang') return;
    const upstream = connect(port, '127.0.0.1');
    sockets.add(upstream);
    upstream.on('error', () => {});
    let passed = 0;
    socket.pipe(upstream);
    upstream.on('data', (data) => {
      passed += data.length;
      if (typeof gate.mode === 'number' && passed > gate.mode) socket.destroy();
      else socket.write(data);
    });
    upstream.on('close', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(own, '127.0.0.1', resolve));
  gate.close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return gate;
}

describe.skipIf(!hasSlapd)('passwords of an LDAP source', () => {
  describeOnSqlite(
    'in OpenLDAP',
    (server) => {
      let slapd: Slapd;
      let gate: Awaited<ReturnType<typeof startGate>>;
      beforeAll(async () => {
        slapd = await startSlapd();
        gate = await startGate(slapd.port);
        await slapd.add([personLdif('ada'), personLdif('linus'), personLdif('mallory')].join('\n'));
        const { admin } = server();
        await makeLdapSource(admin, slapd, { server_uri: `ldap://127.0.0.1:${gate.port}` });
        await useBackends(server(), [backend, local]);
      });
      afterAll(async () => {
        gate.close();
        await slapd.stop();
      });

      test('open the account, and others do not', async () => {
        expect(await signIn(server(), 'ada', passwordOf('ada'))).toBe('signed in');
        expect(await signIn(server(), 'ada', passwordOf('linus'))).toBe(wrong);
        expect(await signIn(server(), 'nobody', passwordOf('ada'))).toBe(wrong);
        const { results } = (await server().admin.get('/events/events/?action=login&ordering=-created')).body;
        expect(results[0].context.auth_method).toBe('ldap');
      });

      test('are not asked for without the backend, nor of a source that is disabled', async () => {
        await useBackends(server(), [local]);
        expect(await signIn(server(), 'ada', passwordOf('ada'))).toBe(wrong);
        await useBackends(server(), [backend]);
        await server().admin.patch('/sources/ldap/directory/', { enabled: false });
        expect(await signIn(server(), 'ada', passwordOf('ada'))).toBe(wrong);
        await server().admin.patch('/sources/ldap/directory/', { enabled: true });
        await ended(server().admin);
        await useBackends(server(), [backend, local]);
      });

      test('are not sent to a source that the user does not come from, regardless of attributes', async () => {
        const { admin } = server();
        const attributes = { distinguishedName: personDn('mallory'), ldap_uniq: 'mallory' };
        const body = { username: 'victim', name: 'Victim', attributes };
        expect((await admin.post('/core/users/', body)).status).toBe(201);
        expect(await signIn(server(), 'victim', passwordOf('mallory'))).toBe(wrong);
      });

      test('do not follow a name that is now another entry’s', async () => {
        await slapd.apply(`dn: ${personDn('linus')}
changetype: modrdn
newrdn: uid=torvalds
deleteoldrdn: 1
`);
        await slapd.add(personLdif('linus', { password: 'the password of another linus' }));
        // Not synchronized yet: another entry has the name of Linus now.
        expect(await signIn(server(), 'linus', 'the password of another linus')).toBe(wrong);
        expect(await signIn(server(), 'linus', passwordOf('linus'))).toBe('signed in');
        await slapd.remove(personDn('linus'));
        await syncNow(server().admin);
      });

      test('are written to the directory when they are changed here', async () => {
        const { admin } = server();
        const { pk } = await userNamed(admin, 'ada');
        const answer = await admin.post(`/core/users/${pk}/set_password/`, { password: 'a new password, set here' });
        expect(answer.status).toBe(204);
        expect(await slapd.accepts(personDn('ada'), 'a new password, set here')).toBe(true);
        expect(await slapd.accepts(personDn('ada'), passwordOf('ada'))).toBe(false);
        expect(await signIn(server(), 'ada', 'a new password, set here')).toBe('signed in');
      });

      test('that are changed in the directory end the one that is stored here', async () => {
        await slapd.apply(`dn: ${personDn('ada')}
changetype: modify
replace: userPassword
userPassword: a newer password, set there
`);
        expect(await signIn(server(), 'ada', 'a newer password, set there')).toBe('signed in');
        expect(await signIn(server(), 'ada', 'a new password, set here')).toBe(wrong);
        expect(await slapd.accepts(personDn('ada'), 'a newer password, set there')).toBe(true);
      });

      test('that the directory has changed end the stored one with the next sync, where it says when', async () => {
        const { admin } = server();
        const { pk } = await userNamed(admin, 'ada');
        await admin.post(`/core/users/${pk}/set_password/`, { password: 'stored here and there' });
        const inAnHour = (Date.now() + 3_600_000 + 11_644_473_600_000) * 10_000;
        await slapd.apply(`dn: ${personDn('ada')}
changetype: modify
add: objectClass
objectClass: vendorAccount
-
add: pwdLastSet
pwdLastSet: ${inAnHour}
`);
        expect((await syncNow(admin)).messages).toEqual(["'ada': Reset user's password"]);
        await useBackends(server(), [local]);
        expect(await signIn(server(), 'ada', 'stored here and there')).toBe(wrong);
        await useBackends(server(), [backend, local]);
        expect(await signIn(server(), 'ada', 'stored here and there')).toBe('signed in');
      });

      test('that the directory does not take are not stored here', async () => {
        const { admin } = server();
        const { pk } = await userNamed(admin, 'ada');
        gate.mode = 'drop';
        const answer = await admin.post(`/core/users/${pk}/set_password/`, { password: 'never stored' });
        expect([answer.status, answer.body.password]).toEqual([
          400,
          ['Failed to set password: the directory cannot be reached. The password has not been changed.'],
        ]);
        gate.mode = 'pass';
        expect(await signIn(server(), 'ada', 'never stored')).toBe(wrong);
      });

      test('are stored here too if set so, for when the directory is away', async () => {
        const { admin } = server();
        await admin.patch('/sources/ldap/directory/', { password_login_update_internal_password: true });
        await ended(admin);
        expect(await signIn(server(), 'ada', 'stored here and there')).toBe('signed in');
        gate.mode = 'drop';
        expect(await signIn(server(), 'ada', 'stored here and there')).toBe('signed in');
        gate.mode = 'pass';
        await admin.patch('/sources/ldap/directory/', { password_login_update_internal_password: false });
        await ended(admin);
      });

      test.each(['drop', 'hang'] as const)(
        'cannot be checked at a directory that does not answer (%s), without a failed attempt',
        async (mode) => {
          gate.mode = mode;
          try {
            for (let attempt = 0; attempt < (mode === 'drop' ? 14 : 1); attempt += 1)
              expect(await signIn(server(), 'torvalds', passwordOf('linus'))).toBe(unavailable);
          } finally {
            gate.mode = 'pass';
          }
          expect(await signIn(server(), 'torvalds', passwordOf('linus'))).toBe('signed in');
          const events = (await server().admin.get('/events/events/?action=configuration_error')).body.results;
          expect(events.map(({ context }: { context: { message: string } }) => context.message).join()).toContain(
            'The directory of Directory cannot check passwords',
          );
        },
        60_000,
      );

      test('are checked at the other server while one is away, which is not tried each time', async () => {
        const { admin } = server();
        const away = await startGate(slapd.port);
        away.mode = 'drop';
        const servers = `ldap://127.0.0.1:${gate.port},ldap://127.0.0.1:${away.port}`;
        const values = { bind_password: 'the secret of the directory' };
        await admin.patch('/sources/ldap/directory/', { ...values, server_uri: servers });
        await ended(admin);
        for (let attempt = 0; attempt < 12; attempt += 1)
          expect(await signIn(server(), 'torvalds', passwordOf('linus'))).toBe('signed in');
        expect(away.connections).toBeLessThanOrEqual(1);
        // It is the last one that is left.
        gate.mode = 'drop';
        away.mode = 'pass';
        expect(await signIn(server(), 'torvalds', passwordOf('linus'))).toBe('signed in');
        gate.mode = 'pass';
        await admin.patch('/sources/ldap/directory/', { ...values, server_uri: servers.split(',')[0] });
        await ended(admin);
        away.close();
      });

      test('bind to a directory of this server, which says when they cannot be checked', async () => {
        const { whoami, dnOf } = await makeDirectory(server());
        const bind = async (given: string) => (await whoami(dnOf('torvalds'), given)).code;
        expect([await bind(passwordOf('linus')), await bind('wrong')]).toEqual([0, 49]);
        gate.mode = 'drop';
        // Busy: a mail server keeps what it has to deliver, and a person is not asked for another password.
        expect(await bind(passwordOf('linus'))).toBe(51);
        gate.mode = 'pass';
        expect(await bind(passwordOf('linus'))).toBe(0);
      });

      test('that are empty are never sent', async () => {
        // Some directories take a bind without a password for a success.
        const { admin } = server();
        await admin.patch('/sources/ldap/directory/', { bind_cn: '', bind_password: '' });
        await ended(admin);
        expect(await signIn(server(), 'torvalds', '')).not.toBe('signed in');
        expect(await signIn(server(), 'torvalds', passwordOf('linus'))).toBe('signed in');
      });

      test('a directory that ends in the middle of a response removes no users', async () => {
        const { admin } = server();
        const people = Array.from({ length: 300 }, (_, index) => personLdif(`many${index}`)).join('\n');
        await slapd.add(people);
        await admin.patch('/sources/ldap/directory/', { delete_not_found_objects: true, deletion_limit: 100 });
        const before = (await ended(admin)).run;
        expect(before).toMatchObject({ state: 'done' });
        gate.mode = 100_000;
        const { state, users, messages } = await syncNow(admin);
        gate.mode = 'pass';
        expect([state, users.deleted]).toEqual(['failed', 0]);
        expect(messages.join()).toContain('closed the connection');
        expect(await userNamed(admin, 'many299')).not.toBeNull();
      });

      test('the bind password shows nowhere, and goes to another server only when it is entered again', async () => {
        const { admin, user } = server();
        await admin.patch('/sources/ldap/directory/', {
          bind_cn: `cn=admin,${suffix}`,
          bind_password: 'the secret of the directory',
          enabled: false,
        });
        const { text } = await admin.get('/sources/ldap/directory/');
        expect(text).not.toContain('the secret of the directory');
        const delegate = await user(['svc_sources_ldap.view_ldapsource', 'svc_sources_ldap.change_ldapsource']);
        const moves = [
          { server_uri: 'ldap://evil.example.com' },
          { verify_certificates: false },
          { start_tls: true },
          { bind_cn: 'cn=other' },
        ];
        for (const move of moves) {
          const answer = await delegate.api.patch('/sources/ldap/directory/', move);
          expect([answer.status, Object.keys(answer.body)]).toEqual([400, ['bind_password']]);
        }
        const entered = await delegate.api.patch('/sources/ldap/directory/', { ...moves[0], bind_password: 'mine' });
        expect(entered.status).toBe(200);
        expect(entered.text).not.toContain('mine');
        for (const at of ['/events/events/?page_size=200', '/sources/ldap/']) {
          expect((await admin.get(at)).text).not.toContain('the secret of the directory');
        }
        // While users sign in through it, only superusers change it.
        await admin.patch('/sources/ldap/directory/', { enabled: true });
        const live = await delegate.api.patch('/sources/ldap/directory/', { name: 'Mine' });
        expect(live.status).toBe(403);
      });
    },
    { env: { ...localDirectories.env, ...ldapPorts } },
  );
});
