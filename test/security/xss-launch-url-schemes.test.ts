import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeApplication, makeFlow, makeProvider } from '../support/providers.ts';
import { describeOnSqlite } from '../support/server.ts';

const harmful = [
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  ' javascript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox(1)',
  'file:///etc/passwd',
  'blob:https://x.example/1',
  '//evil.example/path',
  'ftp://x.example/',
];

// Addresses that a page shows as links were stored whatever their scheme.
describeOnSqlite('XSS: launch URLs have the scheme http or https', (server) => {
  test('other schemes are refused', async () => {
    for (const [index, meta_launch_url] of harmful.entries()) {
      const body = { name: 'n', slug: `harm-${index}`, meta_launch_url };
      const { status, body: answer } = await server().admin.post('/core/applications/', body);
      expect([meta_launch_url, status, answer]).toEqual([
        meta_launch_url,
        400,
        { meta_launch_url: ['Enter a valid URL.'] },
      ]);
    }
    for (const good of ['https://x.example/', 'http://x.example:8080/a?b#c', 'HTTPS://X.example']) {
      const { status } = await server().admin.post('/core/applications/', {
        name: 'n',
        slug: `good-${Math.random().toString(36).slice(2)}`,
        meta_launch_url: good,
      });
      expect([good, status]).toEqual([good, 201]);
    }
  });

  test('other schemes in the database are not shown', async () => {
    const { slug, pk } = await makeApplication(server());
    for (const template of [...harmful, '%(username)s:alert(1)']) {
      await server().world.db.write((tx) =>
        sql`update applications set meta_launch_url = ${template} where pk = ${pk}`.execute(tx),
      );
      const { body } = await server().admin.get(`/core/applications/${slug}/`);
      expect([template, body.launch_url]).toEqual([template, null]);
    }
  });

  test('other schemes are not made from a user name', async () => {
    const { slug } = await makeApplication(server(), { meta_launch_url: 'https://%(username)s/x' });
    const person = await server().user(['svc_core.view_application'], { username: 'evil.example/@javascript:' });
    const { launch_url } = (await person.api.get(`/core/applications/${slug}/`)).body;
    expect(launch_url === null || new URL(launch_url).protocol === 'https:').toBe(true);
    expect(launch_url ?? '').not.toContain('evil.example/@');
  });

  test('other schemes are neither derived from redirect URIs nor accepted as such', async () => {
    const custom = await makeProvider(server(), {
      redirect_uris: [{ matching_mode: 'strict', url: 'com.example.app:/callback' }],
    });
    expect((await makeApplication(server(), { provider: custom.pk })).launch_url).toBeNull();
    const flow = await makeFlow(server());
    const scripts = harmful.filter((url) => !/^(\/\/|ftp:)/.test(url));
    for (const [index, url] of scripts.entries()) {
      for (const matching_mode of ['strict', 'regex']) {
        const { status } = await server().admin.post('/providers/oauth2/', {
          name: `harm ${index} ${matching_mode}`,
          authorization_flow: flow,
          redirect_uris: [{ matching_mode, url }],
        });
        expect([url, status]).toEqual([url, 400]);
      }
    }
  });
});
