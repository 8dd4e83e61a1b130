import { beforeAll, expect, test } from 'vitest';
import { describeOnSqlite } from '../support/server.ts';

const evil = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  'java\tscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'data:image/svg+xml;base64,PHN2Zy8+',
  'vbscript:x',
  'blob:https://example.org/x',
  '//evil.example/x.png',
  '\\\\evil.example\\x.png',
  '/\\evil.example/x.png',
  'http:',
  'http://',
  'https:evil.example/x.png',
];

describeOnSqlite('XSS: addresses of images', (server) => {
  beforeAll(async () => {
    const values = { name: 'e', slug: 'evil', title: 'E', designation: 'enrollment' };
    await server().admin.post('/flows/instances/', values);
  });

  test.each(evil)('refuse %s for a background or a brand', async (url) => {
    const set = await server().admin.post('/flows/instances/evil/set_background_url/', { url });
    expect([set.status, Object.keys(set.body)]).toEqual([400, ['url']]);
    const brand = { domain: 'evil.test', branding_logo: url, branding_favicon: url };
    const made = await server().admin.post('/core/brands/', brand);
    expect([made.status, Object.keys(made.body).sort()]).toEqual([400, ['branding_favicon', 'branding_logo']]);
  });

  test('accept web addresses and uploaded files', async () => {
    for (const url of ['https://example.org/a.png', 'http://example.org/a.png?x=1', '/static/flow-background.svg']) {
      const { status } = await server().admin.post('/flows/instances/evil/set_background_url/', { url });
      expect([url, status]).toEqual([url, 200]);
      expect((await server().admin.get('/flows/instances/evil/')).body.background).toBe(url);
    }
  });

  test('an uploaded document cannot run script in our origin', async () => {
    const form = new FormData();
    form.append('file', new Blob(['<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>']), 'x.svg');
    expect((await server().admin.send('POST', '/flows/instances/evil/set_background/', form)).status).toBe(200);
    const { background } = (await server().admin.get('/flows/instances/evil/')).body;
    const served = await fetch(`${server().url}${background}`);
    const policy = served.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain('sandbox');
    expect(policy).not.toContain('script-src');
    expect(policy).not.toContain('allow-scripts');
    expect(served.headers.get('x-content-type-options')).toBe('nosniff');
  });
});
