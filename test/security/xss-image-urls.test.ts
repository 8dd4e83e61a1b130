import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { makeSource } from '../api/sources/fixtures.ts';
import { flowKey, made } from '../support/make-walk.ts';
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
    const brand = {
      domain: 'evil.test',
      branding_logo: url,
      branding_favicon: url,
      branding_default_flow_background: url,
    };
    const made = await server().admin.post('/core/brands/', brand);
    expect([made.status, Object.keys(made.body).sort()]).toEqual([
      400,
      ['branding_default_flow_background', 'branding_favicon', 'branding_logo'],
    ]);
  });

  test('refuse what our own routes answer, under the public address or the domain of a brand', async () => {
    const { admin, world } = server();
    const url = world.config.publicUrl;
    await admin.post('/core/brands/', { domain: 'brand.test' });
    await made(server(), '/core/applications/', { name: 'Evil', slug: 'evil' });
    await makeSource(server(), 'saml', {
      slug: 'evil',
      sso_url: 'https://idp.example/sso',
      pre_authentication_flow: await flowKey(server(), 'default-source-pre-authentication'),
    });
    const setters = [
      'flows/instances/evil/set_background_url',
      'core/applications/evil/set_icon_url',
      'sources/all/evil/set_icon_url',
    ];
    const own = `${url}/source/oauth/login/evil/?link`;
    const spelt = own.replace('http:', 'HTTP:').replace(/127.0.0.1|localhost/, '$&.');
    for (const address of [own, spelt, 'https://sub.brand.test/if/flow/x/', '/flows/-/default/invalidation/']) {
      for (const setter of setters) {
        const { status, body } = await admin.post(`/${setter}/`, { url: address });
        expect([setter, address, status, body.url?.[0]]).toEqual([
          setter,
          address,
          400,
          expect.stringContaining('/static/'),
        ]);
      }
      const brand = await admin.post('/core/brands/', {
        domain: 'evil.test',
        branding_logo: address,
        branding_favicon: address,
        branding_default_flow_background: address,
      });
      expect([address, brand.status, Object.keys(brand.body).sort()]).toEqual([
        address,
        400,
        ['branding_default_flow_background', 'branding_favicon', 'branding_logo'],
      ]);
    }
    const ownFile = `${url}/static/flow-background.svg`;
    expect((await admin.post('/flows/instances/evil/set_background_url/', { url: ownFile })).status).toBe(200);
  });

  test('do not show what was stored before', async () => {
    const { admin, nobody, world, url } = server();
    const own = `${world.config.publicUrl}/source/oauth/login/evil/?link`;
    const shown = async () => [
      (await admin.get('/flows/instances/evil/')).body.background,
      (await admin.get('/core/applications/evil/')).body.meta_icon,
      (await admin.get('/sources/all/evil/')).body.icon,
      (await admin.get('/sources/saml/evil/')).body.icon,
      (await admin.get('/core/brands/current/')).body.branding_logo,
      (await admin.get('/core/brands/current/')).body.branding_favicon,
      (await admin.get('/core/brands/?default=true')).body.results[0].branding_logo,
      (await admin.get('/core/users/me/')).body.user.avatar,
      (await nobody.get('/flows/executor/default-authentication-flow/')).body.flow_info.background,
      await (await fetch(`${url}/if/flow/default-authentication-flow/`)).text(),
    ];
    await world.db.write(async (tx) => {
      await sql`update flows set background = ${own}`.execute(tx);
      await sql`update applications set meta_icon = ${own} where slug = 'evil'`.execute(tx);
      await sql`update sources set icon = ${own} where slug = 'evil'`.execute(tx);
      await sql`update brands set branding_logo = ${own}, branding_favicon = ${own},
        branding_default_flow_background = ${own}`.execute(tx);
      await sql`update settings set avatars = 'attributes.picture'`.execute(tx);
      await sql`update users set attributes = ${JSON.stringify({ picture: own })}`.execute(tx);
    });
    for (const text of await shown()) expect(String(text)).not.toContain('/source/oauth/login');
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
