import type { AddressInfo } from 'node:net';
import { createFloor } from './floor.ts';
import { postgresFloor } from './floor-postgres.ts';
import { sqliteFloor } from './floor-sqlite.ts';
import type { Recipe } from './recipe.ts';

const [kind, place = ''] = process.argv.slice(2);
const floor = createFloor(kind === 'postgres' ? postgresFloor(place) : sqliteFloor(place));
floor.server.listen(0, '127.0.0.1', () => process.send?.({ port: (floor.server.address() as AddressInfo).port }));

process.on('message', (recipes: readonly Recipe[]) => {
  try {
    floor.load(recipes);
    process.send?.({ done: null });
  } catch (error) {
    process.send?.({ error: String(error) });
  }
});
