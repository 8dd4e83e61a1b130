import { expect, test } from 'vitest';
import { rawRequest } from '../support/raw-request.ts';
import { describeOnSqlite } from '../support/server.ts';

const climbs = [
  '../package.json',
  '../../package.json',
  '..%2fpackage.json',
  '..%2f..%2fpackage.json',
  '%2e%2e/%2e%2e/package.json',
  '..%5c..%5cpackage.json',
  '....//....//package.json',
  '%2fetc%2fpasswd',
  '/etc/passwd',
  '..%00/package.json',
  'x/../../../package.json',
];

describeOnSqlite('path traversal', (server) => {
  test.each(['/media/', '/static/', '/static/sources/'])(
    'nothing outside the folder is served through %s',
    async (prefix) => {
      for (const climb of climbs) {
        const { status, text } = await rawRequest(server().url, prefix + climb);
        expect([climb, status]).not.toEqual([climb, 200]);
        expect(status).toBeLessThan(500);
        expect(text).not.toMatch(/"dependencies"|root:/);
      }
      expect((await rawRequest(server().url, '/static/favicon.svg')).status).toBe(200);
    },
  );

  test('the name of an uploaded file is ignored', async () => {
    const values = { name: 'c', slug: 'climber', title: 'C', designation: 'enrollment' };
    await server().admin.post('/flows/instances/', values);
    const at = '/flows/instances/climber/';
    for (const name of ['../../evil.svg', '/etc/evil.svg', 'evil.svg\u0000.png', '..\\..\\evil.svg', 'evil.html']) {
      const form = new FormData();
      form.append('file', new Blob(['<svg xmlns="http://www.w3.org/2000/svg"/>']), name);
      const { status } = await server().admin.send('POST', `${at}set_background/`, form);
      expect([name, status]).toEqual([name, 200]);
      const { background } = (await server().admin.get(at)).body;
      expect(background).toMatch(/^\/media\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.svg$/);
    }
  });

  test('addresses of images cannot leave their folder', async () => {
    const values = { name: 'd', slug: 'addressed', title: 'D', designation: 'enrollment' };
    await server().admin.post('/flows/instances/', values);
    const at = '/flows/instances/addressed/';
    for (const url of [
      '/static/../api/v3/core/users/',
      '/media/../../x.png',
      '/media/..%2f..%2fx.png',
      '/static/%2e%2e/x.png',
      '/static/..\\x.png',
      '/etc/passwd',
      'file:///etc/passwd',
      '../static/x.png',
      '/staticky/x.png',
    ]) {
      const { status, body } = await server().admin.post(`${at}set_background_url/`, { url });
      expect([url, status]).toEqual([url, 400]);
      expect(Object.keys(body)).toEqual(['url']);
    }
    expect((await server().admin.get(at)).body.background).toBe('/static/flow-background.svg');
  });
});
