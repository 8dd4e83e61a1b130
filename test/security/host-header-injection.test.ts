import { beforeAll, expect, test } from 'vitest';
import { makeDemo } from '../../src/app/cli/demo.ts';
import { rawRequest } from '../support/raw-request.ts';
import { adminToken, describeOnSqlite } from '../support/server.ts';

const publicUrl = 'https://login.example.com';
const spoofed = {
  host: 'evil.invalid',
  'x-forwarded-host': 'evil.invalid',
  'x-forwarded-proto': 'https',
  'x-forwarded-port': '8443',
  'x-forwarded-server': 'evil.invalid',
  'x-original-host': 'evil.invalid',
  'x-host': 'evil.invalid',
  forwarded: 'host=evil.invalid;proto=https',
};

/** These show the caller's own request, which is what they are for. */
const showsTheRequest = new Set(['admin_system_retrieve', 'admin_system_create']);

for (const trusted of ['', '127.0.0.1'])
  describeOnSqlite(
    `host header injection: whatever host a request names${trusted && ', even through a trusted proxy'}`,
    (server) => {
      const send = (method: 'GET' | 'POST', path: string, payload?: object) =>
        rawRequest(server().url, `/api/v3${path}`, {
          method,
          headers: { ...spoofed, authorization: `Bearer ${adminToken}` },
          ...(payload && { body: payload }),
        });

      beforeAll(() => makeDemo(server().world, server().app, server().url));

      test('appears in no answer and no header', async () => {
        const { app } = server();
        const seen: string[] = [];
        const gets = app.operations.filter(({ method, id }) => method === 'GET' && !showsTheRequest.has(id));
        for (const { id, path } of gets) {
          if (path.includes('{')) continue;
          const list = await send('GET', path);
          seen.push(id);
          expect({ id, text: list.text + JSON.stringify(list.headers) }).toEqual({
            id,
            text: expect.not.stringContaining('evil.invalid'),
          });
          const row = list.headers['content-type']?.includes('json') ? list.json().results?.[0] : undefined;
          if (!row) continue;
          for (const below of gets.filter((other) => other.path.startsWith(`${path}{`))) {
            const [, param = '', rest = ''] = /\{(\w+)\}\/(.*)$/.exec(below.path.slice(path.length)) ?? [];
            if (rest.includes('{') || below.id.endsWith('_state_retrieve')) continue;
            const answer = await send('GET', `${path}${encodeURIComponent(row[param] ?? row.pk ?? row.id)}/${rest}`);
            seen.push(below.id);
            expect({ id: below.id, text: answer.text + JSON.stringify(answer.headers) }).toEqual({
              id: below.id,
              text: expect.not.stringContaining('evil.invalid'),
            });
          }
        }
        expect(seen.length).toBeGreaterThan(150);
      });

      test('does not change addresses that begin with the public URL', async () => {
        const { results } = (await send('GET', '/providers/oauth2/')).json();
        const urls = (await send('GET', `/providers/oauth2/${results[0].pk}/setup_urls/`)).json();
        expect(Object.values(urls).length).toBeGreaterThan(3);
        for (const url of Object.values(urls)) expect(url).toMatch(new RegExp(`^${publicUrl}/`));
        const { preview } = (await send('GET', `/providers/oauth2/${results[0].pk}/preview_user/`)).json();
        expect(preview.iss).toMatch(new RegExp(`^${publicUrl}/`));
      });
    },
    { env: { GATEHOUSE_PUBLIC_URL: publicUrl, ...(trusted && { GATEHOUSE_TRUSTED_PROXIES: trusted }) } },
  );
