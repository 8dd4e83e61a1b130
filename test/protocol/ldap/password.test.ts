import { beforeAll, expect, test } from 'vitest';
import { base, type Directory, ldapPorts, makeDirectory, password } from '../../support/ldap-directory.ts';
import { findLdapTools, runLdap, type ToolResult } from '../../support/ldap-tools.ts';
import { describeOnBoth } from '../../support/server.ts';
import { signIn } from '../../support/session.ts';

const hasTools = await findLdapTools();
const better = 'a much better password, 2 of them';

describeOnBoth(
  'password changes by LDAP',
  (server) => {
    let directory: Directory;
    beforeAll(async () => {
      if (hasTools) directory = await makeDirectory(server());
    });
    const change = (username: string, args: readonly string[], given = password) =>
      runLdap('ldappasswd', directory.url, ['-D', directory.dnOf(username), '-w', given, ...args]);
    /** The tool itself ends with 1 whatever the result is. */
    const resultOf = ({ code, stdout, stderr }: ToolResult) =>
      code === 0 ? 0 : Number(/^Result: .*\((\d+)\)$/m.exec(stdout + stderr)?.[1]);
    const codeOf = async (username: string, given: string) =>
      (await directory.whoami(directory.dnOf(username), given)).code;
    const changesOf = async (username: string) => {
      const { results } = (await server().admin.get('/events/events/?action=password_set&page_size=100')).body;
      return results.filter(
        ({ user, context }: { user: { username: string }; context: { model: { name: string } } }) =>
          user.username === username && context.model.name === username,
      );
    };

    test.runIf(hasTools)('users change their own password, which ends their sessions', async () => {
      const { pk } = await directory.person('ada');
      const { browser } = await signIn(server(), pk);
      expect((await change('ada', ['-a', password, '-s', better])).code).toBe(0);
      expect(await codeOf('ada', better)).toBe(0);
      expect(await codeOf('ada', password)).toBe(49);
      expect((await browser.get('/core/users/me/')).status).toBe(403);
      expect(await changesOf('ada')).toHaveLength(1);
      const { body } = await server().admin.get(`/core/users/${pk}/`);
      expect(JSON.stringify(body)).not.toContain(better);
    });

    test.runIf(hasTools)('a user may name themselves, and no other user', async () => {
      await directory.person('bob');
      await directory.person('boss');
      const args = ['-a', password, '-s', better];
      expect(resultOf(await change('bob', [...args, directory.dnOf('boss')]))).toBe(50);
      expect(await codeOf('boss', password)).toBe(0);
      expect((await change('bob', [...args, `CN=BOB, ou=users,${base}`])).code).toBe(0);
      expect(await codeOf('bob', better)).toBe(0);
    });

    test.runIf(hasTools).each([
      ['a weak one, by the policy', ['-a', password, '-s', 'short'], 19, /Use at least 12 characters/],
      ['without the current one', ['-s', better], 19, /current/],
      ['with a wrong current one', ['-a', 'wrong', '-s', better], 19, /That password is not right/],
      ['a generated one', ['-a', password], 53, /generated/],
    ])('%s is refused', async (about, args, code, message) => {
      const username = `user-${code}-${about.length}`;
      await directory.person(username);
      const answer = await change(username, args);
      expect(resultOf(answer)).toBe(code);
      expect(answer.stdout + answer.stderr).toMatch(message);
      expect(await codeOf(username, password)).toBe(0);
      expect(await changesOf(username)).toEqual([]);
    });

    test.runIf(hasTools)('anonymous clients, and app passwords, change nothing', async () => {
      const { admin } = server();
      const { pk } = await directory.person('programs');
      const anonymous = await runLdap('ldappasswd', directory.url, ['-s', better, directory.dnOf('programs')]);
      expect(resultOf(anonymous)).toBe(50);
      await directory.change({ accept_app_passwords: true });
      await admin.post('/core/tokens/', { identifier: 'ldap-programs', intent: 'app_password', user: pk });
      const { key } = (await admin.get('/core/tokens/ldap-programs/view_key/')).body;
      expect(resultOf(await change('programs', ['-a', password, '-s', better], key))).toBe(50);
      expect(await codeOf('programs', password)).toBe(0);
      // The password stage takes app passwords, too: then the provider does not distinguish them from the password.
      await directory.change({ accept_app_passwords: false });
      expect(await codeOf('programs', key)).toBe(0);
      const refused = await change('programs', ['-a', key, '-s', better], key);
      expect(resultOf(refused)).toBe(19);
      expect(refused.stdout + refused.stderr).toContain('An app password cannot be used to change the password');
      expect(await codeOf('programs', password)).toBe(0);
      await admin.delete('/core/tokens/ldap-programs/');
    });
  },
  { env: ldapPorts },
);
