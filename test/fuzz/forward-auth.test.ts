import { hash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import {
  behindProxy,
  type ProtectedHost,
  protect,
  proxiedBrowser,
  type SentHeaders,
  sendAs,
} from '../support/protected-host.ts';
import { describeOnBoth, type TestServer } from '../support/server.ts';
import { startUpstreamApp } from '../support/upstream-app.ts';

const upstream = await startUpstreamApp();
afterAll(() => upstream.close());

/** What a header can hold at all: the rest does not get through HTTP. */
const headerText = fc.string({ unit: 'binary', maxLength: 60 }).map((text) =>
  Buffer.from(text.toWellFormed(), 'utf8')
    .toString('latin1')
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, ''),
);

const strange = fc.oneof(
  headerText,
  fc.constantFrom(
    ...[
      '',
      ' ',
      '%',
      '%00',
      '%zz',
      '%ff%fe',
      '%ed%a0%80',
      '\\',
      '//',
      '/',
      '?',
      '#',
      '[',
      ']',
      '[::1',
      '::',
      ':',
      '@',
      ',',
    ],
    ...['http:', 'https://', 'https:///', 'https://[', 'https://:443/', 'https://%00/', 'https://a b/', 'javascript:x'],
    ...[
      'https://user:p@host/',
      'https://xn--/',
      'https://1.2.3.4.5/',
      'https://0x7f.1/',
      'https://.../',
      'https://a..b/',
    ],
    ...['null', '{}', '[]', '"', "'", 'Infinity', 'a=b; c=d', 'x'.repeat(5_000), 'a'.repeat(300), '\u00ff'.repeat(50)],
  ),
);

const pathPart = fc.constantFrom(
  ...['public', 'PUBLIC', 'admin', '..', '.', '%2e%2e', '%2e.', '..;', ';', 'a;b', '%2f', '%5c', '\\', '%00', '%0a'],
  ...[
    '%252e',
    '%c0%ae',
    '%zz',
    '%',
    '',
    'outpost.gatehouse',
    'start',
    'auth',
    'x'.repeat(2_500),
    '?',
    '#',
    '%3f',
    '*',
    '~',
  ],
);
const path = fc.array(pathPart, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`);

const kinds = ['nginx', 'traefik', 'caddy', 'haproxy', 'envoy/x', 'envoy'] as const;
const ownPaths = ['start', 'callback', 'sign_out', 'ping', 'auth', 'auth/x', '', '..%2fstart'];

interface Fixture {
  readonly hosts: readonly ProtectedHost[];
  readonly proxied: ProtectedHost;
  /** The names of cookies and parameters that are read, with values that were good once. */
  readonly cookies: readonly (readonly [name: string, value: string])[];
}

async function prepare(server: TestServer): Promise<Fixture> {
  const domain = `fuzz-${server.kind}.example.net`;
  const single = await protect(server, { skip_path_regex: '^/public/' });
  const whole = await protect(server, {
    ...{ mode: 'forward_domain', external_host: `https://auth.${domain}`, cookie_domain: domain },
    skip_path_regex: `^https://wiki\\.${domain}/public/`,
  });
  const proxied = await protect(server, { mode: 'proxy', internal_host: upstream.url });
  const browser = proxiedBrowser(server);
  await browser.signIn((await server.user()).pk);
  await browser.enter(single);
  const { client_id } = (await server.admin.get(`/providers/proxy/${proxied.pk}/`)).body;
  const named = `__Host-gatehouse_proxy_${hash('sha256', `proxy cookie ${client_id}`).slice(0, 16)}`;
  return {
    hosts: [single, whole],
    proxied,
    cookies: [...(browser.jar.get(single.host) ?? []), [named, 'x'], ['gatehouse_session', 'x']],
  };
}

const isPublic = (text: string) =>
  /^(?:https:\/\/[a-z.-]+)?\/public\/[\w~*-]*(?:\/[\w~*-]+)*\/?(?:[?#].*)?$/i.test(text);

describeOnBoth(
  'random requests to forward auth and proxied hosts',
  (server) => {
    test('are refused or led to the sign-in, never a fault and never let through', async () => {
      const { hosts, proxied, cookies } = await prepare(server());
      const known = [...hosts, proxied].map(({ host }) => host);
      const host = fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...known, `wiki.${hosts[1]?.host.slice(5)}`) },
        strange,
      );
      const altered = fc
        .tuple(fc.constantFrom(...cookies), strange, fc.boolean())
        .map(([[name, value], text, isWhole]) => `${name}=${isWhole ? text : value.slice(1) + text}`);
      const uri = fc.oneof({ weight: 3, arbitrary: path }, strange);
      const headers = fc.record(
        {
          cookie: fc.array(altered, { minLength: 1, maxLength: 6 }).map((all) => all.join('; ')),
          authorization: fc.oneof(
            strange,
            strange.map((text) => `Basic ${Buffer.from(text, 'latin1').toString('base64')}`),
            strange.map((text) => `Bearer ${text}`),
          ),
          'x-forwarded-host': host,
          'x-forwarded-proto': fc.oneof({ weight: 4, arbitrary: fc.constantFrom('https', 'http') }, strange),
          'x-forwarded-uri': uri,
          'x-forwarded-method': fc.oneof(fc.constantFrom('GET', 'POST', 'get', 'TRACE'), strange),
          'x-forwarded-for': fc.oneof(fc.constant('203.0.113.9'), strange),
          'x-original-url': fc.oneof(
            fc.tuple(host, uri).map(([at, rest]) => `https://${at}${rest}`),
            strange,
          ),
          accept: fc.constantFrom('text/html', '*/*', ''),
          'sec-fetch-mode': fc.constantFrom('navigate', 'cors', 'x'),
          'x-requested-with': strange,
        },
        { requiredKeys: [] },
      );
      const query = fc
        .array(fc.tuple(fc.constantFrom('rd', 'state', 'code', 'retry', 'proof'), strange), { maxLength: 3 })
        .map((pairs) => pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&'));
      const target = fc.oneof(
        fc.constantFrom(...kinds).map((kind) => `/outpost.gatehouse/auth/${kind}`),
        fc.tuple(fc.constantFrom(...ownPaths), query).map(([own, more]) => `/outpost.gatehouse/${own}?${more}`),
        fc
          .tuple(fc.constantFrom(...hosts.map(({ slug }) => slug)), query)
          .map(([slug, more]) => `/application/proxy/${slug}/authorize/?${more}`),
        path.map((text) => text.replace(/[#\\]/g, '')),
      );
      const before = upstream.requests.length;
      await fc.assert(
        fc.asyncProperty(target, headers, fc.constantFrom('GET', 'POST', 'HEAD'), async (at, sent, method) => {
          const came = await sendAs(server(), at, sent as SentHeaders, { method });
          const label = JSON.stringify({ at, sent, method, status: came.status });
          expect(came.status, label).toBeLessThan(500);
          if (!at.startsWith('/outpost.gatehouse/auth/')) return;
          const asked = at.includes('nginx') ? (sent['x-original-url'] ?? '') : (sent['x-forwarded-uri'] ?? '');
          if (came.status === 200) expect(isPublic(asked), label).toBe(true);
          else expect([302, 308, 400, 401, 403, 404, 405, 431], label).toContain(came.status);
          if (came.status === 302)
            expect(
              known.includes(new URL(came.location).host) || came.location.startsWith('http://id.example.com/'),
              label,
            ).toBe(true);
        }),
        { seed: 33, numRuns: 1_500 },
      );
      expect(upstream.requests.length).toBe(before);
    });
  },
  { env: behindProxy },
);
