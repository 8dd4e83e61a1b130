import { connect } from 'node:net';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { base, type Directory, ldapPorts, makeDirectory, password } from '../../support/ldap-directory.ts';
import { encodeBind } from '../../support/ldap-requests.ts';
import { findLdapTools, runLdap } from '../../support/ldap-tools.ts';
import {
  password as appOwnersPassword,
  giveApp,
  giveCodes,
  personWithPassword,
  step,
} from '../../support/second-factor.ts';
import { describeOnBoth } from '../../support/server.ts';

const hasTools = await findLdapTools();

describeOnBoth(
  'LDAP binds',
  (server) => {
    let directory: Directory;
    beforeAll(async () => {
      if (!hasTools) return;
      directory = await makeDirectory(server());
      await directory.person('ada', { email: 'ada@example.com' });
    });
    const events = async (action: string, username: string) => {
      const { results } = (await server().admin.get(`/events/events/?action=${action}&page_size=100`)).body;
      return results.filter(
        (event: { user: { username?: string }; context: { username?: string } }) =>
          event.user.username === username || event.context.username === username,
      );
    };

    test.runIf(hasTools)('a user binds by the name and the password', async () => {
      const { whoami, dnOf } = directory;
      expect(await whoami(dnOf('ada'), password)).toMatchObject({ code: 0, stdout: `dn:${dnOf('ada')}\n` });
      // Names are compared without case and space.
      expect((await whoami(`CN=ADA , OU=Users, dc=LDAP,dc=example,dc=com`, password)).code).toBe(0);
      expect((await whoami(`uid=ada,${base}`, password)).code).toBe(0);
      const [login] = await events('login', 'ada');
      expect(login).toMatchObject({ app: 'svc_stages_user_login', client_ip: '127.0.0.1' });
    });

    test.runIf(hasTools)('a bind leaves no session and no walk', async () => {
      const { pk } = await directory.person('sessionless');
      expect((await directory.whoami(directory.dnOf('sessionless'), password)).code).toBe(0);
      expect((await directory.whoami(directory.dnOf('sessionless'), 'wrong')).code).toBe(49);
      const { read } = server().world.db;
      expect((await sql`select 1 from authenticated_sessions where "user" = ${pk}`.execute(read)).rows).toEqual([]);
      expect((await sql`select 1 from flow_plans`.execute(read)).rows).toEqual([]);
    });

    test.runIf(hasTools).each([
      ['a wrong password', `cn=ada,ou=users,${base}`, 'wrong', 49],
      ['an unknown user', `cn=nobody,ou=users,${base}`, password, 49],
      ['no password, which other servers take for a success', `cn=ada,ou=users,${base}`, '', 53],
      ['another tree', 'cn=ada,ou=users,DC=other', password, 50],
      ['a malformed name', 'ada', password, 34],
      ['a group', `cn=ada,ou=groups,${base}`, password, 49],
      ['a name that only begins like one', `cn=ada,cn=bob,ou=users,${base}`, password, 49],
      ['a null character', `cn=ada\\00,ou=users,${base}`, password, 49],
    ])('%s is refused', async (_, dn, given, code) => {
      expect((await directory.whoami(dn, given)).code).toBe(code);
    });

    test.runIf(hasTools)('an escaped name is the name of one user', async () => {
      await directory.person('doe, jane=admin');
      const { whoami } = directory;
      const name = `cn=doe\\2C jane\\3Dadmin,ou=users,${base}`;
      expect(await whoami(name, password)).toMatchObject({
        code: 0,
        stdout: `dn:cn=doe\\, jane\\=admin,ou=users,${base}\n`,
      });
    });

    test.runIf(hasTools)('attempts are counted and recorded, and feed reputation', async () => {
      await directory.person('guessed');
      const { whoami, dnOf } = directory;
      for (let attempt = 0; attempt < 12; attempt++) await whoami(dnOf('guessed'), `wrong ${attempt}`);
      // By now the right one is not checked either.
      expect((await whoami(dnOf('guessed'), password)).code).toBe(49);
      expect((await events('login_failed', 'guessed')).length).toBeGreaterThanOrEqual(10);
      const { results } = (await server().admin.get('/policies/reputation/scores/?identifier=guessed')).body;
      expect(results).toMatchObject([{ identifier: 'guessed', ip: '127.0.0.1' }]);
      expect(results[0].score).toBeLessThanOrEqual(-10);
    });

    test.runIf(hasTools)('a deactivated user is refused', async () => {
      const { pk } = await directory.person('gone');
      await server().admin.patch(`/core/users/${pk}/`, { is_active: false });
      expect((await directory.whoami(directory.dnOf('gone'), password)).code).toBe(49);
    });

    test.runIf(hasTools)('who may not use the application is refused', async () => {
      const { admin } = server();
      const group = (await admin.post('/core/groups/', { name: 'file users' })).body.pk;
      const { pk: target } = (await admin.get('/core/applications/files/')).body;
      const binding = (await admin.post('/policies/bindings/', { target, group, order: 0 })).body.pk;
      const { pk } = await directory.person('outsider');
      expect((await directory.whoami(directory.dnOf('outsider'), password)).code).toBe(50);
      const { results } = (await admin.get('/events/events/?action=policy_execution&ordering=-created')).body;
      expect(results[0]).toMatchObject({
        ...{ app: 'svc_providers_ldap', user: { username: 'outsider' } },
        context: { decided_by: ['the group file users'] },
      });
      await admin.post(`/core/groups/${group}/add_user/`, { pk });
      expect((await directory.whoami(directory.dnOf('outsider'), password)).code).toBe(0);
      await admin.delete(`/policies/bindings/${binding}/`);
      await admin.patch('/core/applications/files/', { enabled: false });
      expect((await directory.whoami(directory.dnOf('outsider'), password)).code).toBe(50);
      await admin.patch('/core/applications/files/', { enabled: true });
    });

    test.runIf(hasTools)('who cannot be decided about is refused', async () => {
      const { admin } = server();
      const { pk: target } = (await admin.get('/core/applications/files/')).body;
      const broken = { name: 'broken', expression: 'throw new Error("no answer");' };
      const policy = (await admin.post('/policies/expression/', broken)).body.pk;
      const binding = (await admin.post('/policies/bindings/', { target, policy, order: 0 })).body.pk;
      await directory.person('undecided');
      expect((await directory.whoami(directory.dnOf('undecided'), password)).code).toBe(50);
      await admin.delete(`/policies/bindings/${binding}/`);
      expect((await directory.whoami(directory.dnOf('undecided'), password)).code).toBe(0);
    });

    test.runIf(hasTools)('without an application, a provider is not served', async () => {
      await server().admin.post('/providers/ldap/', { name: 'unused', base_dn: 'DC=unused' });
      expect((await directory.whoami('cn=ada,ou=users,DC=unused', password)).code).toBe(50);
    });

    test.runIf(hasTools)('anonymous clients bind without a user', async () => {
      expect(await runLdap('ldapwhoami', directory.url, [])).toMatchObject({ code: 0, stdout: 'anonymous\n' });
    });

    test.runIf(hasTools)('app passwords pass without the flow, if the provider takes them', async () => {
      const { admin } = server();
      const { pk } = await directory.person('programs');
      await admin.post('/core/tokens/', { identifier: 'ldap-app', intent: 'app_password', user: pk });
      const { key } = (await admin.get('/core/tokens/ldap-app/view_key/')).body;
      const { whoami, dnOf } = directory;
      await directory.change({ accept_app_passwords: true });
      expect((await whoami(dnOf('programs'), key)).code).toBe(0);
      expect((await whoami(dnOf('ada'), key)).code).toBe(49);
      // The flow's own password stage takes app passwords, too; one without does not.
      const [stage] = (await admin.get('/stages/password/?name=default-authentication-password')).body.results;
      await admin.patch(`/stages/password/${stage.pk}/`, { backends: ['svc.core.auth.InbuiltBackend'] });
      expect((await whoami(dnOf('programs'), key)).code).toBe(0);
      await directory.change({ accept_app_passwords: false });
      expect((await whoami(dnOf('programs'), key)).code).toBe(49);
      await directory.change({ accept_app_passwords: true });
      await admin.delete('/core/tokens/ldap-app/');
      expect((await whoami(dnOf('programs'), key)).code).toBe(49);
      await directory.change({ accept_app_passwords: false });
    });

    test.runIf(hasTools)(
      'an app password of one application binds there alone, and ends when that changes',
      async () => {
        const { admin } = server();
        const { pk } = await directory.person('mailer');
        const { pk: files } = (await admin.get('/core/applications/files/')).body;
        const { pk: other } = (await admin.post('/core/applications/', { name: 'Mail', slug: 'mail' })).body;
        const values = { identifier: 'ldap-files', intent: 'app_password', user: pk, application: files };
        await admin.post('/core/tokens/', values);
        const { key } = (await admin.get('/core/tokens/ldap-files/view_key/')).body;
        const { whoami, dnOf } = directory;
        await directory.change({ accept_app_passwords: true, bind_mode: 'cached' });
        expect((await whoami(dnOf('mailer'), key)).code).toBe(0);
        await admin.patch('/core/tokens/ldap-files/', { application: other });
        expect((await whoami(dnOf('mailer'), key)).code).toBe(49);
        await directory.change({ accept_app_passwords: false, bind_mode: 'direct' });
      },
    );

    test.runIf(hasTools)('a code follows the password of who has an authenticator', async () => {
      const withApp = await personWithPassword(server());
      const app = await giveApp(server(), withApp.username);
      const { whoami, dnOf } = directory;
      const bind = async (given: string) => (await whoami(dnOf(withApp.username), given)).code;
      expect(await bind(appOwnersPassword)).toBe(49);
      expect(await bind(`${appOwnersPassword};000000`)).toBe(49);
      expect(await bind(`wrong;${app.code()}`)).toBe(49);
      const code = app.code();
      expect(await bind(`${appOwnersPassword};${code}`)).toBe(0);
      // Each code is good once.
      expect(await bind(`${appOwnersPassword};${code}`)).toBe(49);
      const withCodes = await personWithPassword(server());
      const [first] = await giveCodes(server(), withCodes.username);
      expect((await whoami(dnOf(withCodes.username), `${appOwnersPassword};${first}`)).code).toBe(0);
      await directory.change({ mfa_support: false });
      expect(await bind(`${appOwnersPassword};${app.code(step)}`)).toBe(49);
      await directory.change({ mfa_support: true });
    });

    test.runIf(hasTools)('a semicolon is part of the password of who has none', async () => {
      const { pk } = await directory.person('semicolon');
      await server().admin.post(`/core/users/${pk}/set_password/`, { password: 'half one;123456' });
      expect((await directory.whoami(directory.dnOf('semicolon'), 'half one;123456')).code).toBe(0);
    });

    test.runIf(hasTools)('remembered binds end with any change of the user', async () => {
      const { admin } = server();
      const group = (await admin.post('/core/groups/', { name: 'remembered' })).body.pk;
      const { pk } = await directory.person('cached');
      const { whoami, dnOf } = directory;
      const right = async (given = password) => (await whoami(dnOf('cached'), given)).code;
      const logins = async () => (await events('login', 'cached')).length;
      await directory.change({ bind_mode: 'cached' });
      // A wrong one is never remembered.
      expect([await right('wrong'), await right()]).toEqual([49, 0]);
      expect(await logins()).toBe(1);
      expect([await right(), await logins()]).toEqual([0, 1]);
      expect(await right('wrong')).toBe(49);
      await admin.post(`/core/groups/${group}/add_user/`, { pk });
      expect([await right(), await logins()]).toEqual([0, 2]);
      await admin.patch(`/core/users/${pk}/`, { name: 'Renamed' });
      expect([await right(), await logins()]).toEqual([0, 3]);
      await admin.post(`/core/users/${pk}/set_password/`, { password: 'quite another password' });
      expect([await right(), await right('quite another password')]).toEqual([49, 0]);
      await admin.patch(`/core/users/${pk}/`, { is_active: false });
      expect(await right('quite another password')).toBe(49);
      await directory.change({ bind_mode: 'direct' });
    });

    // One that was overheard would sign in again for five minutes, with its one-time code.
    test.runIf(hasTools)('remembered binds are for the client that made them', async () => {
      const { dnOf, url } = directory;
      await directory.person('remembered');
      await directory.change({ bind_mode: 'cached' });
      const { hostname, port } = new URL(url);
      const bindFrom = (localAddress: string) =>
        new Promise<void>((resolve, reject) => {
          const socket = connect({ host: hostname, port: Number(port), localAddress });
          socket.on('connect', () => socket.write(encodeBind(dnOf('remembered'), password)));
          socket.on('data', () => resolve(void socket.destroy())).on('error', reject);
        });
      const logins = async () => (await events('login', 'remembered')).length;
      await bindFrom('127.0.0.1');
      await bindFrom('127.0.0.1');
      expect(await logins()).toBe(1);
      await bindFrom('127.0.0.2');
      expect(await logins()).toBe(2);
      await directory.change({ bind_mode: 'direct' });
    });
  },
  { env: ldapPorts },
);
