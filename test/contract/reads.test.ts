import { expect, test } from 'vitest';
import { countEvents } from '../support/events.ts';
import { describeEveryResource } from './every-resource.ts';

describeEveryResource(
  'reading',
  (ground, { verbs, lookup }, testEngine) => {
    testEngine('gives an unchanged object the same ETag, and answers 304 when If-None-Match matches', async () => {
      const { resource, admin, make } = ground();
      const { path } = await make(resource.model);
      const first = await admin.get(path);
      expect(first.status).toBe(200);
      const etag = first.headers.get('etag') ?? '';
      expect((await admin.get(path)).headers.get('etag')).toBe(etag);
      const again = await admin.get(path, { 'if-none-match': etag });
      expect([again.status, again.text]).toEqual([304, '']);
      expect((await admin.get(path, { 'if-none-match': '"another"' })).status).toBe(200);
      expect((await admin.send('HEAD', path)).status).toBe(200);
    });

    const listing = verbs.includes('list') ? test : () => {};
    listing('shows an object in a list as it shows it alone', async () => {
      const { resource, admin, make } = ground();
      const { pk, path } = await make(resource.model);
      const alone = (await admin.get(path)).body;
      if (resource.keyName) expect(alone[resource.keyName]).toEqual(pk);
      const { results } = (await admin.get(`${resource.path}?page_size=10000`)).body;
      expect(results).toContainEqual(alone);
    });

    test('answers 404 to a key that is missing or malformed', async () => {
      const { resource, admin } = ground();
      const missing = { uuid: 'ffffffff-ffff-4fff-bfff-ffffffffffff', int: '2147483647', text: 'no-such-key' };
      const keys = lookup === 'pk' ? [missing[resource.key]] : ['no-such-key'];
      for (const key of [...keys, 'x', '-1', '0', '99999999999999999999', '%00', "'", '*', 'null']) {
        const answer = await admin.get(`${resource.path}${key}/`);
        expect([key, answer.status]).toEqual([key, 404]);
      }
    });

    testEngine('records no event', async () => {
      const { server, resource, admin, make } = ground();
      const { path } = await make(resource.model);
      const before = await countEvents(server);
      expect((await admin.get(path)).status).toBe(200);
      if (verbs.includes('list')) expect((await admin.get(resource.path)).status).toBe(200);
      if (verbs.includes('used_by')) expect((await admin.get(`${path}used_by/`)).status).toBe(200);
      expect(await countEvents(server)).toBe(before);
    });

    testEngine('refuses unsupported methods', async () => {
      const { resource, admin, make } = ground();
      const { path } = await make(resource.model);
      const answer = await admin.send('POST', path, {});
      expect([answer.status, answer.body.detail]).toEqual([405, 'Method "POST" not allowed.']);
      expect(answer.headers.get('allow')).toContain('GET');
    });
  },
  ({ verbs }) => verbs.includes('retrieve'),
);
