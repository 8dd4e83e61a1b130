import { describe, expect, test } from 'vitest';
import { describeOnSqlite } from '../support/server.ts';

describe('under pressure', () => {
  describeOnSqlite('it keeps answering', (server) => {
    test('passwords by the hundred, lists and large bodies at once: each is served or told to come again', {
      timeout: 120_000,
    }, async () => {
      const { admin, nobody } = server();
      const { pk } = await server().user();
      const live: { status: number; ms: number }[] = [];
      let isOver = false;
      const watching = (async () => {
        while (!isOver) {
          const started = performance.now();
          const { status } = await nobody.send('GET', '/-/health/live/');
          live.push({ status, ms: performance.now() - started });
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
      expect(new Set(live.map(({ status }) => status))).toEqual(new Set([200]));
      expect(Math.max(...live.map(({ ms }) => ms))).toBeLessThan(5_000);
      expect((await admin.get('/core/users/')).status).toBe(200);
    });
  });
});
