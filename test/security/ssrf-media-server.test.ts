import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { describeOnSqlite } from '../support/server.ts';

let asked = 0;
const inside = createServer((_request, response) => {
  asked += 1;
  response.end('{"id": 1}');
});
await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
afterAll(() => inside.close());
const { port } = inside.address() as AddressInfo;

// Requests on behalf of callers must not reach what only the server can reach, unless an administrator allows it.
for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]']) {
  describeOnSqlite(
    `SSRF: a media server at ${host}`,
    (server) => {
      test('is not called unless its address is allowed', async () => {
        const { admin, nobody } = server();
        await admin.post('/sources/mediasrc/', { name: 'inside', slug: 'inside', plex_token: 'owner' });
        const answer = await nobody.post('/sources/mediasrc/redeem_token/?slug=inside', { plex_token: 'token' });
        expect(answer.status).toBe(400);
        expect(answer.body).toEqual({ non_field_errors: ['The address of the media server may not be called.'] });
        expect(asked).toBe(0);
      });
    },
    { env: { GATEHOUSE_MEDIASRC_API_URL: `http://${host}:${port}` } },
  );
}

describeOnSqlite(
  'SSRF: a media server on the cloud’s metadata address',
  (server) => {
    test('is not called even though other private addresses are allowed', async () => {
      const { admin, nobody } = server();
      await admin.post('/sources/mediasrc/', { name: 'inside', slug: 'inside', plex_token: 'owner' });
      const answer = await nobody.post('/sources/mediasrc/redeem_token/?slug=inside', { plex_token: 'token' });
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual({ non_field_errors: ['The address of the media server may not be called.'] });
    });
  },
  { env: { GATEHOUSE_MEDIASRC_API_URL: 'http://169.254.169.254', GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8' } },
);
