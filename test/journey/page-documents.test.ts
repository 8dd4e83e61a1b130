import { get } from 'node:http';
import { expect, test } from 'vitest';
import { apiPrefix } from '../../src/app/compose.ts';
import { createErrorPage } from '../../src/app/pages/error-page.ts';
import { mountPages } from '../../src/app/pages/mount-pages.ts';
import { createServer } from '../../src/platform/http/server.ts';
import { firstStart, startServerProcess } from '../support/gatehouse-process.ts';
import { made, makeWalk } from '../support/make-walk.ts';
import { pageNeeds } from '../support/page-needs.ts';
import { describeOnSqlite, newFolder, type TestServer } from '../support/server.ts';

const signInPage = '/if/flow/default-authentication-flow/';

interface Plain {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: number;
}

/** As it crosses the network, still compressed. */
function getPlain({ url }: TestServer, path: string, encodings = 'gzip'): Promise<Plain> {
  return new Promise((resolve, reject) => {
    get(`${url}${path}`, { headers: { 'accept-encoding': encodings } }, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes }));
    }).on('error', reject);
  });
}

const addressesIn = (html: string, pattern: RegExp): string[] =>
  [...html.matchAll(pattern)].map(([, path = '']) => path);

const scriptsIn = (html: string) => addressesIn(html, /(?:src|rel="modulepreload" href)="([^"]+\.js)"/g);

describeOnSqlite('the documents of pages', (server) => {
  const readPage = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${server().url}${path}`, { redirect: 'manual', headers });
    return { headers: answer.headers, status: answer.status, html: await answer.text() };
  };

  test('signing in takes at most 115 kB cold, with the texts of one language', async () => {
    const { html } = await readPage(signInPage, { 'accept-language': 'ar' });
    const scripts = scriptsIn(html);
    expect(scripts.filter((path) => /\/(ar|de|es|fr|ja)-/.test(path))).toHaveLength(1);
    const files = [
      ...scripts,
      ...addressesIn(html, /(?:rel="stylesheet"|rel="icon") href="([^"]+)"/g),
      '/static/logo.svg',
    ];
    const sizes = await Promise.all(files.map(async (path) => (await getPlain(server(), path, 'br, gzip')).bytes));
    expect(sizes.reduce((sum, size) => sum + size, html.length)).toBeLessThan(115_000);
  });

  test('every challenge that the API documents has a screen', async () => {
    const { components } = (await server().nobody.get('/schema/')).body;
    const documented = Object.keys(components.schemas.ChallengeTypes.discriminator.mapping);
    expect(documented).toContain('xak-stage-identification');
    const { html } = await readPage(signInPage);
    const texts = scriptsIn(html).map(async (path) => (await fetch(`${server().url}${path}`)).text());
    const text = (await Promise.all(texts)).join('');
    expect(documented.filter((name) => !asksNothing.has(name) && !text.includes(name))).toEqual([]);
  });

  test('hold nothing inline, nothing evaluated and nothing from elsewhere', async () => {
    const { headers, html } = await readPage(signInPage);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).toContain("style-src 'self';");
    expect(policy).toContain("connect-src 'self'; frame-src 'none'");
    expect(policy).toContain("form-action 'self'; frame-ancestors 'none'");
    expect(policy.replace("img-src 'self' data: https:", '')).not.toMatch(/unsafe|\*|http/);
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|style=|https?:\/\//i);
    expect(html).toContain('<html lang="en" dir="ltr" data-theme="automatic">');
  });

  test('name files by their content, and let browsers cache them for ever', async () => {
    const { html } = await readPage(signInPage);
    for (const path of addressesIn(html, /(?:src|href)="(\/static\/pages\/[^"]+)"/g)) {
      expect(path).toMatch(/-[\w-]{8}\.(js|css)$/);
      const packed = await getPlain(server(), path, 'br, gzip');
      expect(packed.headers).toMatchObject({
        'content-encoding': 'br',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      });
      const plain = await getPlain(server(), path, 'identity');
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(packed.bytes).toBeLessThan(plain.bytes * 0.7);
    }
    expect((await getPlain(server(), '/static/pages/none-12345678.js')).status).toBe(404);
    expect((await getPlain(server(), '/static/pages/..%2fgatehouse.js')).status).not.toBe(200);
  });

  test('escape the name of a brand', async () => {
    const brand = await made(server(), '/core/brands/', {
      domain: '127.0.0.1',
      branding_title: '"></title><script>alert(1)</script>',
    });
    const { html } = await readPage(signInPage);
    expect(html).toContain('<title>&quot;&gt;&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;</title>');
    expect(html).not.toContain('<script>');
    await server().admin.delete(`/core/brands/${brand.brand_uuid}/`);
  });

  test('a captcha and a media server are allowed on the pages of their own flows only', async () => {
    const captcha = { public_key: 'a', private_key: 'b' };
    const walk = await makeWalk(server(), [
      ['captcha', { ...captcha, js_url: 'https://js.hcaptcha.com/1/api.js', api_url: 'https://hcaptcha.com/verify' }],
      ['captcha', { ...captcha, js_url: "https://captcha.example:8443/x.js?a=;script-src-elem 'unsafe-inline'" }],
    ]);
    const policy = (await readPage(`/if/flow/${walk.slug}/`)).headers.get('content-security-policy') ?? '';
    const services =
      'https://js.hcaptcha.com https://hcaptcha.com https://*.hcaptcha.com https://captcha.example:8443'.split(' ');
    for (const directive of ['script-src', 'frame-src', 'connect-src', 'style-src']) {
      const allowed = policy.split('; ').find((part) => part.startsWith(`${directive} `)) ?? '';
      for (const service of services) expect(allowed.split(' ')).toContain(service);
    }
    expect(policy).not.toContain('unsafe');

    const source = await made(server(), '/sources/mediasrc/', {
      name: 'Media',
      slug: 'media',
      client_id: 'x',
      plex_token: 'y',
    });
    const media = await makeWalk(server(), [['identification', { user_fields: [], sources: [source.pk] }]]);
    const page = await readPage(`/if/flow/${media.slug}/`);
    expect(page.headers.get('content-security-policy')).toContain("connect-src 'self' https://plex.tv;");
    expect(page.html).toContain('data-media-api="https://plex.tv/api/v2"');
    expect((await readPage(signInPage)).html).not.toContain('data-media-api');
  });

  test('lead people who are not signed in to the sign-in, and back afterwards', async () => {
    const places: Record<string, string> = {
      '/': signInPage,
      '/if/user/tokens/?a=1&b=2': `${signInPage}?next=%2Fif%2Fuser%2Ftokens%2F%3Fa%3D1%26b%3D2`,
      '/if/admin/': `${signInPage}?next=%2Fif%2Fadmin%2F`,
      '/flows/-/cancel/?next=%2Fif%2Fuser%2F': `${signInPage}?next=%2Fif%2Fuser%2F`,
      '/flows/-/cancel/?next=https%3A%2F%2Fevil.example': signInPage,
      '/flows/-/cancel/?back&next=%2Fif%2Fuser%2Fdevices%2F': '/if/user/devices/',
      '/flows/-/cancel/?back&next=https%3A%2F%2Fevil.example': '/if/user/',
    };
    for (const [path, to] of Object.entries(places)) {
      const { status, headers } = await readPage(path);
      expect([path, status, headers.get('location')]).toEqual([path, 302, to]);
    }
  });

  test('show a server error with its request id', async () => {
    const { log } = server().world;
    const bare = createServer({ log, trustedProxies: [], errorPage: createErrorPage(pageNeeds(server()), apiPrefix) });
    const settings = { ...server().world.settings, current: () => Promise.reject(new Error('broken')) };
    const built = { folder: import.meta.dirname, pages: { flow: noFiles } };
    mountPages(bare.routes, { ...pageNeeds(server()), settings }, built);
    const url = await bare.listen({ host: '127.0.0.1', port: 0 });
    const answer = await fetch(`${url}${signInPage}`, { headers: { accept: 'text/html' } });
    const text = await answer.text();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([500, 'text/html; charset=utf-8']);
    expect(text).toContain(answer.headers.get('x-request-id'));
    expect(text).not.toContain('broken');
    await bare.close();
  });

  test('are optional: a server without built pages starts, and says what is missing', async () => {
    const { world } = server();
    const warnings: unknown[] = [];
    const log = Object.assign(Object.create(world.log), { warn: (text: string) => warnings.push(text) });
    const bare = createServer({ log: world.log, trustedProxies: [] });
    mountPages(bare.routes, { ...pageNeeds(server()), log }, null);
    const url = await bare.listen({ host: '127.0.0.1', port: 0 });
    const answer = await fetch(`${url}${signInPage}`);
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('npm run build');
    expect(warnings).toEqual([expect.stringContaining('have not been built')]);
    await bare.close();
  });
});

test('a server started from the command line serves its pages', async () => {
  const started = await startServerProcess({ ...firstStart, GATEHOUSE_DATA_DIR: newFolder() });
  try {
    const html = await (await fetch(`${started.url}${signInPage}`)).text();
    const [script = ''] = addressesIn(html, /src="([^"]+\.js)"/g);
    const answer = await fetch(`${started.url}${script}`);
    expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, 'gzip']);
  } finally {
    await started.stop();
  }
});

/** Steps that happen without anybody being asked. */
const asksNothing = new Set(
  ['invitation', 'user-write', 'user-logout', 'user-delete'].map((name) => `xak-stage-${name}`),
);

const noFiles = { script: '', style: '', preload: [], texts: {} };
