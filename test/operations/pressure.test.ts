import { describe, expect, test } from 'vitest';
import { describeOnSqlite } from '../support/server.ts';

describe('a server under load', () => {
  describeOnSqlite('keeps answering', (server) => {
    test('hundreds of passwords, lists and large bodies at once are each served or answered 503', async () => {
      const { admin, nobody } = server();
      const { pk } = await server().user();
      const live: number[] = [];
      let isOver = false;
      const watching = (async () => {
        while (!isOver) {
          const { status } = await nobody.send('GET', '/-/health/live/');
          live.push(status);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      })();
      const attributes = { text: 'x'.repeat(200_000) };
      const answers = await Promise.all([
        ...Array.from({ length: 100 }, (_, index) =>
          admin.post(`/core/users/${pk}/set_password/`, { password: `a new password, number ${index}` }),
        ),
        ...Array.from({ length: 50 }, () => admin.get('/core/users/?page_size=100')),
        ...Array.from({ length: 15 }, (_, index) =>
          admin.post('/core/groups/', { name: `large ${index}`, attributes }),
        ),
      ]);
      isOver = true;
      await watching;
      const counts = new Map<number, number>();
      for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
      expect([...counts.keys()].filter((status) => ![200, 201, 204, 503].includes(status))).toEqual([]);
      expect(counts.get(200)).toBe(50);
      expect(counts.get(201)).toBe(15);
      // The queue of passwords is bounded: some may have been sent away, most not.
      expect(counts.get(204)).toBeGreaterThan(50);
      for (const { status, headers, body } of answers.filter((answer) => answer.status === 503)) {
        expect({ status, code: body.code, again: headers.get('retry-after') }).toEqual({
          status: 503,
          code: 'unavailable',
          again: '1',
        });
      }
      expect(live.length).toBeGreaterThan(1);
      expect(new Set(live)).toEqual(new Set([200]));
      expect((await admin.get('/core/users/')).status).toBe(200);
    });
  });
});
