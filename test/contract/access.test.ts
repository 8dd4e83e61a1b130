import { expect, test } from 'vitest';
import { isWritable, type Row } from '../../src/resource/fields/field.ts';
import { isRef } from '../../src/resource/fields/ref.ts';
import type { Resource } from '../../src/resource/resource.ts';
import type { Verb } from '../../src/resource/verb.ts';
import type { Right } from '../support/grants.ts';
import { describeEveryResource, type ResourceGround } from './every-resource.ts';
import { resourceHints } from './hints.ts';
import type { Sample } from './maker.ts';

const isByPermission = ({ visibility }: Resource) => visibility === undefined || visibility.by === 'permission';

/** Only superusers enable what users sign in through. */
const withoutEnabled = ({ signsIn }: Resource, body: Row): Row =>
  signsIn === 'while enabled' ? { ...body, enabled: undefined } : body;

/** What each verb answers on a sample. Those that are open get a proper body, or an object of their own to delete. */
async function tryVerbs(ground: ResourceGround, sample: Sample, open: readonly Verb[]) {
  const { resource, make, bodyFor } = ground;
  const { api } = ground.probe;
  const body = async (verb: Verb) => (open.includes(verb) ? bodyFor(resource) : {});
  const doomed = open.includes('destroy') ? await make(resource.model) : sample;
  const calls: Record<Verb, () => Promise<{ status: number }>> = {
    list: () => api.get(resource.path),
    create: async () => api.post(resource.path, withoutEnabled(resource, await bodyFor(resource))),
    retrieve: () => api.get(sample.path),
    partial_update: () => api.patch(sample.path, {}),
    update: async () => api.put(sample.path, await body('update')),
    destroy: () => api.delete(doomed.path),
    used_by: () => api.get(`${sample.path}used_by/`),
  };
  const statuses: Partial<Record<Verb, number>> = {};
  // A replaced row may be found elsewhere afterwards, so that is tried last.
  for (const verb of resource.verbs.toSorted((a, b) => Number(a === 'update') - Number(b === 'update'))) {
    statuses[verb] = (await calls[verb]()).status;
  }
  return statuses;
}

const success: Record<Verb, number> = {
  list: 200,
  create: 201,
  retrieve: 200,
  update: 200,
  partial_update: 200,
  destroy: 204,
  used_by: 200,
};

/** What is expected when exactly these verbs are open. */
const opening = (resource: Resource, open: readonly Verb[]): Partial<Record<Verb, number>> =>
  Object.fromEntries(resource.verbs.map((verb) => [verb, open.includes(verb) ? success[verb] : 403]));

/** Whether users sign in through samples: through enabled flows and sources, their stage bindings, and brands. */
const isInUse = ({ signsIn, reaches, allFields }: Resource): boolean =>
  signsIn === 'always' ||
  signsIn === 'while enabled' ||
  (reaches !== undefined && Object.values(allFields).some((field) => isRef(field) && field.partOf));

/** What users sign in through is for superusers. Others create it disabled. */
const openedBy = (resource: Resource, verbs: readonly Verb[]): Verb[] =>
  verbs.filter(
    (verb) =>
      !isInUse(resource) || reading.includes(verb) || (verb === 'create' && resource.signsIn === 'while enabled'),
  );

/**
 * Rights over what a body refers to, where references ask for them; they open nothing by themselves. Rights over the
 * own model would, so bodies refer to no other row of it.
 */
function rightsOverReferences(
  { registry }: { registry: ResourceGround['server']['app']['engine']['registry'] },
  resource: Resource,
): string[] {
  const asked = Object.values(resource.allFields).flatMap((field) =>
    isRef(field) && field.needs && isWritable(field) && field.model !== resource.model
      ? [registry.require(field.model).permission(field.needs)]
      : [],
  );
  return [...new Set([...asked, ...(resourceHints[resource.model]?.alsoNeeds ?? [])])];
}

const reading: Verb[] = ['list', 'retrieve', 'used_by'];

describeEveryResource(
  'permissions',
  (ground, _, testEngine) => {
    testEngine('on every object each allow only their own verb', async () => {
      const here = ground();
      const { resource, probe } = here;
      const beside = rightsOverReferences(here.server.app.engine, resource);
      const view = resource.permission('view');
      const cases: [string, Right[], Verb[]][] = [
        ['none', [], []],
        ['view', [view], reading],
        ['add', [resource.permission('add')], ['create']],
        ['change without view', [resource.permission('change')], []],
        ['delete without view', [resource.permission('delete')], []],
        ['view and change', [view, resource.permission('change')], [...reading, 'update', 'partial_update']],
        ['view and delete', [view, resource.permission('delete')], [...reading, 'destroy']],
      ];
      let sample = await here.make(resource.model);
      for (const [name, rights, verbs] of cases) {
        const open = openedBy(resource, verbs);
        await probe.holds(...rights, ...beside);
        const statuses = await tryVerbs(here, sample, open);
        if (open.includes('update')) sample = await here.make(resource.model);
        expect([name, statuses]).toEqual([name, opening(resource, open)]);
      }
    });

    test('on a single object allow access to it and hide all others', async () => {
      const here = ground();
      const { resource, probe, make } = here;
      const beside = rightsOverReferences(here.server.app.engine, resource);
      const [mine, other] = [await make(resource.model), await make(resource.model)];
      const on = (verb: 'view' | 'change' | 'delete'): Right => ({
        permission: resource.permission(verb),
        on: mine.pk,
      });
      const status = async (method: string, { path }: Sample, body?: Row) =>
        (await probe.api.send(method, path, body)).status;

      await probe.holds(on('view'), ...beside);
      if (resource.verbs.includes('list')) {
        const { pagination, results } = (await probe.api.get(resource.path)).body;
        expect(pagination.count).toBe(1);
        if (resource.keyName) expect(results[0][resource.keyName]).toBe(mine.pk);
      }
      if (resource.verbs.includes('retrieve')) {
        expect([await status('GET', mine), await status('GET', other)]).toEqual([200, 404]);
      }
      if (resource.verbs.includes('partial_update')) {
        expect([await status('PATCH', mine, {}), await status('PATCH', other, {})]).toEqual([403, 404]);
        await probe.holds(on('view'), on('change'), ...beside);
        const changed = isInUse(resource) ? 403 : 200;
        expect([await status('PATCH', mine, {}), await status('PATCH', other, {})]).toEqual([changed, 404]);
      }
      if (resource.verbs.includes('destroy')) {
        expect([await status('DELETE', mine), await status('DELETE', other)]).toEqual([403, 404]);
        await probe.holds(on('view'), on('delete'), ...beside);
        const deleted = isInUse(resource) ? 403 : 204;
        expect([await status('DELETE', other), await status('DELETE', mine)]).toEqual([404, deleted]);
      }
    });
  },
  isByPermission,
);

describeEveryResource(
  'own objects',
  (ground) => {
    test('are the only ones that a caller without permissions sees', async () => {
      const here = ground();
      const { resource, probe, make, admin } = here;
      await probe.holds();
      const list = async () => (await probe.api.get(`${resource.path}?page_size=1000`)).body;
      // The token that the caller comes with is one of theirs.
      const before = resource.verbs.includes('list') ? (await list()).pagination.count : 0;
      const [mine, other] = [await make(resource.model, probe.pk), await make(resource.model)];
      if (resource.verbs.includes('list')) {
        const { pagination, results } = await list();
        expect(pagination.count).toBe(before + 1);
        if (resource.keyName) expect(results.map((row: Row) => row[resource.keyName ?? ''])).toContain(mine.pk);
        expect((await admin.get(resource.path)).body.pagination.count).toBeGreaterThanOrEqual(2);
      }
      for (const [verb, method, body] of [
        ['retrieve', 'GET', undefined],
        ['partial_update', 'PATCH', {}],
        ['destroy', 'DELETE', undefined],
      ] as const) {
        if (!resource.verbs.includes(verb)) continue;
        expect([verb, (await probe.api.send(method, other.path, body)).status]).toEqual([verb, 404]);
        const { visibility } = resource;
        const mayWrite = visibility?.by === 'owner' && visibility.write !== 'permission';
        const expected = method === 'GET' || mayWrite ? success[verb] : 403;
        expect([verb, (await probe.api.send(method, mine.path, body)).status]).toEqual([verb, expected]);
      }
    });
  },
  ({ visibility }) => visibility?.by === 'owner',
);
