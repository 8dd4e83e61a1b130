import { expect, test } from 'vitest';
import { ownPath } from '../../src/lib/own-path.ts';
import { evilAddresses } from '../support/evil-addresses.ts';
import { openBrowser, signInFlow } from '../support/flow-client.ts';
import { rawRequest } from '../support/raw-request.ts';
import { adminPassword, describeOnSqlite } from '../support/server.ts';

const publicUrl = 'https://login.example.com';
const evil = 'evil.example';

/**
 * What stands before a host so that a browser goes there, or goes there once dots, tabs and backslashes are resolved.
 */
const leads = [
  '//',
  '///',
  '////',
  '/\\',
  '\\/',
  '\\\\',
  '\\',
  '/\t/',
  '/\n/',
  '/\r/',
  '\t//',
  ' //',
  '/ /',
  '/..//',
  '/.//',
  '/../..//',
  '/a/..//',
  '/a/../..//',
  '/a/b/../..//',
  '/./..//',
  '/.././/',
  '/%2e%2e//',
  '/%2E%2E//',
  '/.%2e//',
  '/%2e.//',
  '/%2e//',
  '/a/%2e%2e//',
  '/..///',
  '/..\\/',
  '/../\\',
  '/..%5c/',
  '/a/..;//',
  '/;//',
  '/?//',
  '/#//',
  '/\u0000/',
  '/\u2028/',
  '/\u00a0/',
  '/\uff0f',
  '/%09/',
  '/%0d%0a/',
  '/%2f',
  '/%2F%2F',
  '/%5c',
  '/%5C%5C',
  'https://',
  'https:',
  'https:/',
  'HTTPS://',
  'http://',
  '/https://',
  '//login.example.com@',
  '//login.example.com.',
  'https://login.example.com@',
  'https://login.example.com.',
  'javascript://',
  'data:text/html,',
  '/../https://',
  'a//',
  '',
];
const hosts = [`${evil}`, `${evil}/if/user/`, `${evil}?x=1#y`, `user@${evil}:443/`];
const spellings = [...leads.flatMap((lead) => hosts.map((host) => lead + host)), ...evilAddresses];

/** Where a browser goes that is at one of our pages and follows this. */
const destination = (to: string) => new URL(to, `${publicUrl}/if/flow/x/`);

describeOnSqlite(
  'open redirect: a local path that becomes an external address when normalized',
  (server) => {
    test('is refused, and every accepted path stays local however often it is normalized', () => {
      expect(spellings.length).toBeGreaterThan(200);
      let taken = 0;
      for (const spelling of spellings) {
        let path = ownPath(spelling, publicUrl);
        if (path === null) continue;
        taken += 1;
        for (let round = 0; round < 3; round++) {
          expect([spelling, destination(path).origin]).toEqual([spelling, publicUrl]);
          expect([spelling, path]).toEqual([spelling, expect.stringMatching(/^\/(?![/\\])/)]);
          const { pathname, search, hash } = destination(path);
          path = `${pathname}${search}${hash}`;
        }
      }
      // Some are paths of ours, strange as they look.
      expect(taken).toBeGreaterThan(10);
    });

    test.each([
      ['/', '/'],
      ['/if/user/', '/if/user/'],
      ['/if/user/?a=//evil.example#//evil.example', '/if/user/?a=//evil.example#//evil.example'],
      ['/if/./user/../user/', '/if/user/'],
      ['/a//b', '/a//b'],
      ['/..', '/'],
      ['/..//evil.example', null],
      ['/a/..//evil.example', null],
      ['/%2e%2e//evil.example', null],
      ['//login.example.com/if/user/', '/if/user/'],
      ['if/user/', null],
      ['', null],
      [null, null],
    ])('is not confused with a local path: %j is accepted as %j', (given, expected) => {
      expect(ownPath(given, publicUrl)).toBe(expected);
    });

    test('does not redirect to another site when a flow is cancelled', async () => {
      for (const spelling of spellings) {
        const path = `/flows/-/cancel/?next=${encodeURIComponent(spelling)}`;
        const { status, headers } = await rawRequest(server().url, path);
        const to = destination(String(headers.location));
        expect([spelling, status, to.origin]).toEqual([spelling, 302, publicUrl]);
        const next = to.searchParams.get('next');
        if (next !== null) expect([spelling, destination(next).origin]).toEqual([spelling, publicUrl]);
      }
    });

    test.each(['/..//evil.example', '/a/..//evil.example', '/%2e%2e//evil.example', '/\\evil.example'])(
      'does not redirect to another site after signing in with next=%s',
      async (next) => {
        const browser = openBrowser(server());
        const query = `next=${encodeURIComponent(next)}`;
        await browser.show(signInFlow, query);
        await browser.answer(signInFlow, { uid_field: 'admin' }, query);
        const { body } = await browser.answer(signInFlow, { password: adminPassword }, query);
        expect([body.component, destination(body.to).origin]).toEqual(['xak-flow-redirect', publicUrl]);
        expect(body.to).not.toContain(evil);
      },
    );
  },
  { env: { GATEHOUSE_PUBLIC_URL: publicUrl } },
);
