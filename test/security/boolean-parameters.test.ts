import { expect, test } from 'vitest';
import { describeOnSqlite } from '../support/server.ts';

const words = ['yes', 'on', 'y', 't', 'TRUE!', '2', '', '%20', 'null', 'true,false', '-1'];
const repeated = ['dry_run=true&dry_run=false', 'dry_run=false&dry_run=true', 'dry_run=true&dry_run=true'];

describeOnSqlite('boolean parameters', (server) => {
  async function group(name: string): Promise<string> {
    const { body } = await server().admin.post('/core/groups/', { name });
    return `/core/groups/${body.pk}/`;
  }

  test('dry_run takes true and 1 in any case and then writes nothing', async () => {
    const path = await group('stays');
    for (const word of ['true', 'True', 'TRUE', '1']) {
      expect((await server().admin.delete(`${path}?dry_run=${word}`)).status, word).toBe(204);
      expect((await server().admin.get(path)).status, word).toBe(200);
    }
  });

  test('dry_run takes false and 0 in any case and then writes', async () => {
    for (const word of ['false', 'False', 'FALSE', '0']) {
      const path = await group(`goes by ${word}`);
      expect((await server().admin.delete(`${path}?dry_run=${word}`)).status, word).toBe(204);
      expect((await server().admin.get(path)).status, word).toBe(404);
    }
  });

  test('dry_run with any other word is refused and nothing is deleted', async () => {
    const path = await group('survives');
    for (const word of words) {
      const { status, body } = await server().admin.delete(`${path}?dry_run=${word}`);
      expect(status, word).toBe(400);
      expect(body, word).toEqual({ dry_run: ['Must be a valid boolean: true, false, 1 or 0.'] });
    }
    for (const query of repeated) {
      const { status, body } = await server().admin.delete(`${path}?${query}`);
      expect(status, query).toBe(400);
      expect(body, query).toEqual({ dry_run: ['Give this parameter only once.'] });
    }
    expect((await server().admin.get(path)).status).toBe(200);
  });

  test('every boolean parameter of every operation refuses other words and repeated values', async () => {
    const { body: document } = await server().admin.get('/schema/?format=json');
    let tried = 0;
    for (const [path, operations] of Object.entries<Record<string, Operation>>(document.paths)) {
      for (const [method, { operationId, parameters = [], ...operation }] of Object.entries(operations)) {
        if (!operation['x-credentials'].includes('API token')) continue;
        const flags = parameters.filter((one) => one.in === 'query' && one.schema.type === 'boolean');
        const at = path.replaceAll(/\{\w+\}/g, '1');
        for (const { name } of flags) {
          for (const query of [`${name}=yes`, `${name}=true&${name}=true`]) {
            const { status, body } = await server().admin.send(method.toUpperCase(), `${at}?${query}`);
            expect(status, `${operationId} ${query}`).toBe(400);
            expect(Object.keys(body), `${operationId} ${query}`).toEqual([name]);
            tried++;
          }
        }
      }
    }
    expect(tried).toBeGreaterThan(800);
  });

  test('an empty boolean filter is ignored, and download without a value sends a file', async () => {
    const all = await server().admin.get('/core/groups/');
    const { status, body } = await server().admin.get('/core/groups/?is_superuser=');
    expect(status).toBe(200);
    expect(body.pagination.count).toBe(all.body.pagination.count);
    const { body: pairs } = await server().admin.get('/crypto/certificatekeypairs/');
    const file = await server().admin.get(pairs.results[0].certificate_download_url);
    expect(file.headers.get('content-disposition')).toContain('attachment');
  });
});

interface Operation {
  readonly operationId: string;
  readonly 'x-credentials': readonly string[];
  readonly parameters?: readonly { name: string; in: string; schema: { type?: string } }[];
}
