import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { makeSource } from '../api/sources/fixtures.ts';
import { sendJson, startMediaServer } from '../api/sources/media-server.ts';
import { describeJourney, whoIs } from '../support/journey.ts';
import { flowKey, makeWalk, unique } from '../support/make-walk.ts';

const media = await startMediaServer();
afterAll(() => media.close());

/** Lets pages of other origins ask, as the media server does. */
const openly =
  (body: () => unknown) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    response.setHeader('access-control-allow-origin', request.headers.origin ?? '*');
    response.setHeader('access-control-allow-headers', 'x-plex-product, x-plex-client-identifier');
    if (request.method === 'OPTIONS') response.writeHead(204).end();
    else sendJson(response, body());
  };

describeJourney(
  'a media server',
  (journey) => {
    test('identifies a person once they have signed in there', async () => {
      const { server } = journey();
      const source = await makeSource(server, 'mediasrc', {
        plex_token: 'the-owners-token',
        client_id: 'a client',
        authentication_flow: await flowKey(server, 'default-source-authentication'),
        enrollment_flow: await flowKey(server, 'default-source-enrollment'),
      });
      const username = unique('viewer');
      media.know('a-token', { id: 77, username, email: `${username}@example.org` });
      let authToken: string | null = null;
      media.answer(
        '/pins?strong=true',
        openly(() => ({ id: 5, code: 'the code', authToken: null })),
      );
      media.answer(
        '/pins/5',
        openly(() => ({ id: 5, code: 'the code', authToken })),
      );
      const walk = await makeWalk(server, [['identification', { user_fields: ['username'], sources: [source.pk] }]]);

      const page = await journey().window();
      await page.goto(`/if/flow/${walk.slug}/`);
      await page.getByRole('button', { name: source.name }).click();
      const link = page.getByRole('link', { name: `Open the page of ${source.name}` });
      const address = new URL((await link.getAttribute('href')) ?? '');
      expect(address.origin).toBe('https://app.plex.tv');
      const facts = new URLSearchParams(address.hash.slice(2));
      expect([facts.get('clientID'), facts.get('code')]).toEqual(['a client', 'the code']);
      authToken = 'a-token';
      await page.waitForURL('**/if/user/');
      expect(await whoIs(page)).toBe(username);

      // The same in the middle of a flow, for a user whom it knows by now.
      authToken = 'a-token-of-nobody';
      const asking = await makeWalk(server, [['source', { source: source.pk }], ['dummy']]);
      await page.goto(`/if/flow/${asking.slug}/`);
      await page.getByRole('link', { name: 'Open the page of the media server' }).waitFor();
      await page.getByRole('alert').waitFor();
      authToken = 'a-token';
      await page.getByRole('button', { name: 'Continue' }).waitFor();
    });

    test('is reported on the page when it is unreachable', async () => {
      const { server } = journey();
      const source = await makeSource(server, 'mediasrc', { plex_token: 'the-owners-token' });
      media.answer('/pins?strong=true', (_request, response) => sendJson(response, {}, 500));
      const walk = await makeWalk(server, [['identification', { user_fields: [], sources: [source.pk] }]]);
      const page = await journey().window({ tolerates: /CORS|Failed to load resource/ });
      await page.goto(`/if/flow/${walk.slug}/`);
      await page.getByRole('button', { name: source.name }).click();
      await page.getByRole('alert').filter({ hasText: 'cannot be reached' }).waitFor();
    });
  },
  { env: { GATEHOUSE_MEDIASRC_API_URL: media.url, GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8' } },
);
