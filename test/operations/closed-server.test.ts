import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { hasPostgres, startServer } from '../support/server.ts';

const kinds = hasPostgres ? (['sqlite', 'postgres'] as const) : (['sqlite'] as const);

for (const kind of kinds) {
  test(`a closed server leaves nothing in memory (${kind})`, async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage: () => void = runInNewContext('gc');
    const closed = [await useAndClose(kind), await useAndClose(kind)];
    await expect
      .poll(() => {
        collectGarbage();
        return closed.filter((app) => app.deref()).length;
      })
      .toBe(0);
  });
}

async function useAndClose(kind: 'sqlite' | 'postgres'): Promise<WeakRef<object>> {
  const server = await startServer(kind);
  await server.admin.get('/core/users/');
  await server.close();
  return new WeakRef(server.app);
}
