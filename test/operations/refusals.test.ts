import { afterAll, beforeAll, expect, test } from 'vitest';
import { createErrorPage } from '../../src/app/pages/error-page.ts';
import { createServer, type HttpServer } from '../../src/platform/http/server.ts';
import { pageNeeds } from '../support/page-needs.ts';
import { rawRequest } from '../support/raw-request.ts';
import { adminToken, describeOnSqlite } from '../support/server.ts';

// As Chromium and Firefox say it when a user opens an address.
const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8' };
const program = { accept: 'application/json' };
const large = 'x'.repeat(2 * 1024 * 1024 + 1);

describeOnSqlite('refused requests', (server) => {
  /** Routes that fail, on a server with the pages of the real one. */
  let failing: HttpServer;
  let failingUrl: string;
  beforeAll(async () => {
    const { log } = server().world;
    failing = createServer({ log, trustedProxies: [], errorPage: createErrorPage(pageNeeds(server()), '/api/v3') });
    failing.routes.on(['GET'], '/fault', () => Promise.reject(new Error('a secret of the inside')));
    const away = Object.assign(new Error('a secret of the inside'), { syscall: 'connect' });
    failing.routes.on(['GET'], '/away', () => Promise.reject(away));
    failingUrl = await failing.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(() => failing.close());
  const urlFor = (path: string) => (path === '/fault' || path === '/away' ? failingUrl : server().url);

  const cases: [status: number, method: string, path: string, title: string, code: string][] = [
    [404, 'GET', '/no/such/page', 'Page not found', 'not_found'],
    [404, 'GET', '/static/none.png', 'Page not found', 'not_found'],
    [404, 'POST', '/if/user', 'Page not found', 'not_found'],
    [405, 'DELETE', '/', 'This cannot be done here', 'method_not_allowed'],
    [413, 'POST', '/application/o/authorize/', 'Request too large', 'payload_too_large'],
    [403, 'GET', '/-/metrics', 'The request was refused', 'permission_denied'],
    [400, 'GET', '/%zz', 'The request was refused', 'bad_request'],
    [500, 'GET', '/fault', 'Something went wrong', 'internal_error'],
    [503, 'GET', '/away', 'Not available at the moment', 'unavailable'],
  ];
  const ask = (status: number, method: string, path: string, headers: Record<string, string>) =>
    rawRequest(urlFor(path), path, {
      method,
      headers: { ...headers, 'x-forwarded-for': '203.0.113.7' },
      ...(status === 413 && { body: large }),
    });

  test.each(cases)('%i on %s %s: a browser gets an HTML page', async (status, method, path, title) => {
    const answer = await ask(status, method, path, browser);
    expect([answer.status, answer.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8']);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    expect(answer.text).toContain(`<h1>${title}</h1>`);
    expect(answer.text).toContain(`Request id: ${answer.headers['x-request-id']}`);
    expect(answer.text).toContain('<a class="way" href="/">');
    expect(answer.text).toMatch(
      /<(p class="brand">Gatehouse<\/p>|img class="brand" src="\/static\/logo.svg" alt="Gatehouse">)/,
    );
    expect(answer.text).not.toContain('secret of the inside');
  });

  test.each(cases)('%i on %s %s: a program gets JSON', async (status, method, path, _title, code) => {
    for (const headers of [program, {}]) {
      const answer = await ask(status, method, path, headers);
      expect([answer.status, answer.headers['content-type']]).toEqual([status, 'application/json']);
      expect(answer.json()).toMatchObject({ detail: expect.any(String), code });
      expect(answer.text).not.toContain('secret of the inside');
    }
  });

  test('an HTML error page keeps the headers of the refusal', async () => {
    const refused = await rawRequest(server().url, '/', { method: 'PUT', headers: browser });
    expect(refused.headers.allow).toBe('GET, HEAD, OPTIONS');
    const away = await rawRequest(failingUrl, '/away', { headers: browser });
    expect(away.headers['retry-after']).toBe('5');
  });

  test('the API answers in JSON to browsers and programs', async () => {
    const authorization = `Bearer ${adminToken}`;
    for (const [method, path, status] of [
      ['GET', '/api/v3/no/such/thing/', 404],
      ['GET', '/api/v3/core/users/4711/', 404],
      ['DELETE', '/api/v3/core/users/', 405],
      ['POST', '/api/v3/core/users', 404],
    ] as const) {
      const answer = await rawRequest(server().url, path, { method, headers: { ...browser, authorization } });
      expect([path, answer.status, answer.headers['content-type']]).toEqual([path, status, 'application/json']);
    }
  });

  test('an error page shows the brand title as escaped text', async () => {
    const values = { domain: '127.0.0.1', branding_title: '<b>Bold</b>' };
    const { body } = await server().admin.post('/core/brands/', values);
    const { text } = await rawRequest(server().url, '/no/such/page', { headers: browser });
    expect(text).toContain('<p class="brand">&lt;b&gt;Bold&lt;/b&gt;</p>');
    await server().admin.delete(`/core/brands/${body.brand_uuid}/`);
  });
});

describeOnSqlite('a path without its last slash', (server) => {
  test.each([
    ['/api/v3/core/users?page_size=1&search=a%20b', '/api/v3/core/users/?page_size=1&search=a%20b'],
    ['/api/v3/core/users/1', '/api/v3/core/users/1/'],
    ['/api/v3', '/api/v3/'],
    ['/application/o/authorize?client_id=x', '/application/o/authorize/?client_id=x'],
    ['/application/o/x/jwks', '/application/o/x/jwks/'],
    ['/if/user', '/if/user/'],
    ['/if/flow/default-authentication-flow?next=%2Fx', '/if/flow/default-authentication-flow/?next=%2Fx'],
    ['/-/health/live', '/-/health/live/'],
  ])('is redirected on GET: %s', async (path, to) => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, text } = await rawRequest(server().url, path, { method });
      expect([method, status, headers.location, text]).toEqual([method, 308, to, '']);
    }
  });

  test('leads clients that follow the redirect to the resource', async () => {
    const headers = { authorization: `Bearer ${adminToken}` };
    const answer = await fetch(`${server().url}/api/v3/core/users?username=admin`, { headers });
    expect([answer.status, ((await answer.json()) as { results: unknown[] }).results.length]).toEqual([200, 1]);
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'gets an error that names the right path on %s, and changes nothing',
    async (method) => {
      const { admin, url } = server();
      const answer = await rawRequest(url, '/api/v3/core/groups?dry_run=false', {
        method,
        headers: { authorization: `Bearer ${adminToken}` },
        body: { name: `written by ${method}` },
      });
      const detail = 'Not found. The path ends with a slash: /api/v3/core/groups/';
      expect([answer.status, answer.json()]).toEqual([404, { detail, code: 'not_found' }]);
      expect((await admin.get(`/core/groups/?name=written+by+${method}`)).body.results).toEqual([]);
    },
  );

  test('never redirects to another server', async () => {
    for (const path of ['//evil.example', '//evil.example/if/user', '/\\evil.example', '///evil.example/%2e%2e']) {
      const { status, headers } = await rawRequest(server().url, path);
      expect([path, status, headers.location]).toEqual([path, 404, undefined]);
    }
  });
});
