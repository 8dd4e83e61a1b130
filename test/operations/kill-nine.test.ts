import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { firstStart, processToken, startServerProcess } from '../support/gatehouse-process.ts';
import { until } from '../support/jobs.ts';
import { newFolder } from '../support/server.ts';

const rounds = 10;
const writersAtOnce = 4;

test(`kill -9 in a stream of writes, ${rounds} times: nothing acknowledged is lost, and it starts by itself`, async () => {
  const folder = newFolder();
  const acknowledged = new Map<string, string>();
  const changed = new Map<string, string>();
  for (let round = 0; round < rounds; round++) {
    const server = await startServerProcess({ GATEHOUSE_DATA_DIR: folder, ...firstStart });
    const admin = server.as(processToken);
    let isOver = false;
    async function write(line: number): Promise<void> {
      for (let number = 0; !isOver; number++) {
        const name = `${round}.${line}.${number}`;
        try {
          const { status, body } = await admin.post('/core/groups/', { name });
          if (status !== 201) continue;
          acknowledged.set(body.pk, name);
          const change = await admin.patch(`/core/groups/${body.pk}/`, { attributes: { changed: name } });
          if (change.status === 200) changed.set(body.pk, name);
        } catch {
          // The server went away under this request: it was not acknowledged.
          return;
        }
      }
    }
    const writers = Array.from({ length: writersAtOnce }, (_, line) => write(line));
    const known = changed.size;
    await until(() => changed.size > known);
    await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 200));
    server.kill('SIGKILL');
    expect((await server.finished).signal).toBe('SIGKILL');
    isOver = true;
    await Promise.all(writers);
  }
  expect(changed.size).toBeGreaterThanOrEqual(rounds);

  const server = await startServerProcess({ GATEHOUSE_DATA_DIR: folder, ...firstStart });
  expect((await server.as(processToken).get('/core/groups/')).status).toBe(200);
  await server.stop();
  const db = new DatabaseSync(join(folder, 'gatehouse.db'), { readOnly: true });
  expect(db.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  expect(db.prepare('pragma foreign_key_check').all()).toEqual([]);
  const stored = new Map(
    db
      .prepare('select pk, name, attributes from groups')
      .all()
      .map(({ pk, name, attributes }) => [pk, { name, attributes: JSON.parse(String(attributes)) }]),
  );
  for (const [pk, name] of acknowledged) expect(stored.get(pk)?.name).toBe(name);
  for (const [pk, name] of changed) expect(stored.get(pk)?.attributes).toEqual({ changed: name });
  // Each row that is there has its audit event: they are written together or not at all.
  const [{ without } = {}] = db
    .prepare(
      `select count(*) as without from groups where name like '%.%.%' and not exists (
        select 1 from events where action = 'model_created' and json_extract(context, '$.model.name') = groups.name)`,
    )
    .all();
  expect(without).toBe(0);
  db.close();
});
