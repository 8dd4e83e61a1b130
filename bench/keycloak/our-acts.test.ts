import { expect, test } from 'vitest';
import { sqliteDatabases } from '../databases.ts';
import { load } from '../load.ts';
import { loadOAuth } from '../oauth/load.ts';
import { withApp } from '../open-app.ts';
import { titles } from './acts.ts';
import { ourActs } from './our-acts.ts';

const sizes = { users: 1_050, policies: 0, rules: 0, events: 0, accessTokens: 0 };

test('everything that is compared can be done again and again', async () => {
  const database = await sqliteDatabases().fresh();
  try {
    await withApp(database, async (world, app, url) => {
      const acts = ourActs(url, await load(world, app, sizes), await loadOAuth(world, url, 1));
      for (const number of [1, 2, 3]) {
        for (const [index, title] of titles.entries()) {
          await expect(acts[title](number * titles.length + index), title).resolves.toBeUndefined();
        }
      }
    });
  } finally {
    await database.drop();
  }
});
