import { beforeAll, expect, test } from 'vitest';
import type { Resource } from '../../src/resource/resource.ts';
import { type Ground, prepareGround, resources } from '../contract/every-resource.ts';
import { createProbe, type Probe } from '../contract/probe.ts';
import type { Answer, Api } from '../support/api.ts';
import { describeOnSqlite } from '../support/server.ts';

const written = resources.filter(({ verbs }) => verbs.includes('retrieve'));
const facts = ({ status, body }: Pick<Answer, 'status' | 'body'>) => [status, body ?? null];

describeOnSqlite('many writes in one request', (server) => {
  let ground: Ground | undefined;
  // With a token throughout: what takes a person is refused in both ways.
  let probe: Probe | undefined;
  const here = () => ground as Ground;
  beforeAll(async () => {
    ground = await prepareGround(server());
    probe = await createProbe(server());
  });
  const find = (path: string) => server().app.engine.registry.resources.find((one) => one.path === path) as Resource;

  /** A change and a deletion of an object, each by itself and in bulk. */
  async function bothWays(api: Api, path: string) {
    const single = [
      await api.send('PATCH', `${path}?dry_run=true`, {}),
      await api.send('DELETE', `${path}?dry_run=true`, undefined),
    ];
    const writes = [
      { path, changes: {} },
      { path, delete: true },
    ];
    const { body } = await api.post('/admin/bulk/?dry_run=true', { writes });
    return { single: withoutTimes(single.map(facts)), bulk: withoutTimes(body.results.map(facts)) };
  }

  test.each(written.map(({ path }) => path))(
    'are answered for objects of %s as each by itself: for readers, editors and superusers',
    async (path) => {
      const resource = find(path);
      const sample = await here().make(resource.model);
      const at = `${path}${sample.path.slice(sample.resource.path.length) || `${sample.pk}/`}`;
      const { permission } = resource;
      const rights = [[], [permission('view')], [permission('view'), permission('change'), permission('delete')]];
      for (const held of rights) {
        await probe?.holds(...held);
        const { single, bulk } = await bothWays((probe as Probe).api, at);
        expect([held, bulk]).toEqual([held, single]);
      }
      const { single, bulk } = await bothWays(server().admin, at);
      expect(bulk).toEqual(single);
    },
  );

  test('are refused to strangers as a whole', async () => {
    const { status, body } = await here().nobody.post('/admin/bulk/', {
      writes: [{ path: '/core/groups/x/', delete: true }],
    });
    expect([status, body.code]).toEqual([403, 'not_authenticated']);
  });
});

/** What is written again at each write differs. */
const withoutTimes = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(/"\d{4}-\d\d-\d\dT[^"]*"/g, '"a time"'));
