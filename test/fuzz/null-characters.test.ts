import { beforeAll, expect, test } from 'vitest';
import { prepareRequest } from '../contract/drive.ts';
import { type Ground, prepareGround } from '../contract/every-resource.ts';
import { describeOnBoth } from '../support/server.ts';

describeOnBoth('a null character, which PostgreSQL does not take,', (server) => {
  let ground: Ground | undefined;
  beforeAll(async () => {
    ground = await prepareGround(server());
  });

  test('is refused in every query parameter but a search', async () => {
    const here = ground as Ground;
    const taken: string[] = [];
    for (const operation of server().app.operations) {
      if (operation.method !== 'GET' || operation.credentials?.includes('API token') === false) continue;
      const [path = ''] = (await prepareRequest(here, operation)).path.split('?');
      for (const { name, in: place } of operation.parameters) {
        if (place !== 'query' || name === 'search') continue;
        const { status, body } = await here.admin.get(`${path}?${name}=a%00b`);
        if (status !== 400 || !(name in body)) taken.push(`${operation.id} ${name}: ${status}`);
      }
    }
    expect(taken).toEqual([]);
  });
});
