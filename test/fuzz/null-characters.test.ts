import { beforeAll, expect, test } from 'vitest';
import { prepareRequest } from '../contract/drive.ts';
import { type Ground, prepareGround } from '../contract/every-resource.ts';
import { describeOnBoth } from '../support/server.ts';

/** As for any other value that a list does not know. */
const ownAnswers: Readonly<Record<string, number>> = { ordering: 200, page: 404, page_size: 200, search: 200 };

describeOnBoth('a null character, which PostgreSQL does not take,', (server) => {
  let ground: Ground | undefined;
  beforeAll(async () => {
    ground = await prepareGround(server());
  });

  test('is refused in every query parameter but those with answers of their own', async () => {
    const here = ground as Ground;
    const taken: string[] = [];
    for (const operation of server().app.operations) {
      if (operation.method !== 'GET' || operation.credentials?.includes('API token') === false) continue;
      const [path, given] = (await prepareRequest(here, operation)).path.split('?');
      for (const { name, in: place } of operation.parameters) {
        if (place !== 'query') continue;
        const query = new URLSearchParams(given);
        query.set(name, 'a\0b');
        const { status, body } = await here.admin.get(`${path}?${query}`);
        const isRight = name in ownAnswers ? status === ownAnswers[name] : status === 400 && name in body;
        if (!isRight) taken.push(`${operation.id} ${name}: ${status}`);
      }
    }
    expect(taken).toEqual([]);
  });
});
