import { expect, test } from 'vitest';
import { type Field, isRequired, isWritable, type Row } from '../../src/resource/fields/field.ts';
import type { Resource } from '../../src/resource/resource.ts';
import type { Answer } from '../support/api.ts';
import { countEvents, lastEvents } from '../support/events.ts';
import { describeEveryResource, type ResourceGround } from './every-resource.ts';
import type { Sample } from './maker.ts';

const writable = ({ allFields }: Resource) => Object.entries(allFields).filter(([, field]) => isWritable(field));
const requiredNames = (resource: Resource) =>
  writable(resource)
    .filter(([, field]) => isRequired(field))
    .map(([name]) => name);

/** A value of a type that the field cannot take; undefined when it takes anything. */
function wrongFor(field: Field & { readonly anyValue?: boolean }): unknown {
  if (field.anyValue) return undefined;
  switch (field.kind) {
    case 'json':
    case 'list':
    case 'refs':
      return 'neither a list nor an object';
    case 'secret':
      return field.schema.type === 'string' ? {} : 'no object';
    case 'text':
    case 'expression':
    case 'duration':
    case 'record':
      return ['a list'];
    default:
      return 'no such value';
  }
}

/** Runs a request that must leave one event; answers with both. */
async function recorded({ server, resource }: ResourceGround, work: () => Promise<Answer>, status: number) {
  const before = await countEvents(server);
  const answer = await work();
  expect([answer.status, answer.text]).toEqual([status, answer.text]);
  // An event that the API makes or deletes counts besides the one that tells of it.
  const own = resource.table !== 'events' ? 0 : status === 201 ? 1 : status === 204 ? -1 : 0;
  expect((await countEvents(server)) - before - own).toBe(1);
  // Both are of one moment, in no order.
  const event = (await lastEvents(server, own === 1 ? 2 : 1)).find(({ action }) => action.startsWith('model_'));
  return { answer, event };
}

/** Runs requests that must change nothing at all. */
async function unchanging({ stored, admin }: ResourceGround, path: string | null, work: () => Promise<void>) {
  const [counts, shown] = [await stored.counts(), path && (await admin.get(path)).text];
  await work();
  expect(await stored.counts()).toEqual(counts);
  if (path) expect((await admin.get(path)).text).toBe(shown);
}

const modelOf = ({ app, modelName }: Resource) => ({ app, model_name: modelName });
const plainKinds = new Set(['text', 'choice', 'boolean', 'integer', 'real', 'expression', 'duration']);

/** The members that are shown as they were sent. */
function echoed(resource: Resource, body: Row): Row {
  const plain = Object.entries(body).filter(([name]) => {
    const field = resource.allFields[name] as Field;
    return plainKinds.has(field.kind) && !field.writeOnly;
  });
  return Object.fromEntries(plain);
}

describeEveryResource(
  'creating',
  (ground, _, testEngine) => {
    test('stores and returns what was sent, and records one event', async () => {
      const here = ground();
      const { resource, admin, bodyFor } = here;
      const body = await bodyFor(resource);
      const { answer, event } = await recorded(here, () => admin.post(resource.path, body), 201);
      expect(answer.body).toMatchObject(echoed(resource, body));
      expect(event).toMatchObject({
        action: 'model_created',
        username: 'admin',
        context: { model: modelOf(resource) },
      });
    });

    test('accepts a body with only the required members', async () => {
      const { resource, admin, bodyFor } = ground();
      const answer = await admin.post(resource.path, await bodyFor(resource, 'required'));
      expect([answer.status, answer.text]).toEqual([201, answer.text]);
    });

    testEngine('reports all missing and invalid members at once, and stores nothing', async () => {
      const here = ground();
      const { resource, admin } = here;
      const wrong = Object.fromEntries(writable(resource).map(([name, field]) => [name, wrongFor(field)]));
      const notNull = writable(resource).filter(([, field]) => !field.nullable);
      const required = requiredNames(resource);
      if (required.length > 0) {
        await unchanging(here, null, async () => {
          const missing = await admin.post(resource.path, {});
          expect(missing.status).toBe(400);
          const complaints = Object.fromEntries(required.map((name) => [name, ['This field is required.']]));
          expect(missing.body).toMatchObject(complaints);
        });
      }
      await unchanging(here, null, async () => {
        const mistyped = await admin.post(resource.path, wrong);
        const expected = Object.keys(wrong).filter(
          (name) => wrong[name] !== undefined || isRequired(resource.allFields[name] as Field),
        );
        expect([mistyped.status, Object.keys(mistyped.body ?? {}).sort()]).toEqual([400, expected.sort()]);
        const empty = await admin.post(resource.path, Object.fromEntries(notNull.map(([name]) => [name, null])));
        const nulls = Object.fromEntries(notNull.map(([name]) => [name, ['This field may not be null.']]));
        expect([empty.status, empty.body]).toEqual([400, nulls]);
      });
    });

    testEngine('ignores unknown and read-only members', async () => {
      const { resource, admin, bodyFor } = ground();
      const readOnly = Object.entries(resource.allFields).filter(([, field]) => !isWritable(field));
      const strange = Object.fromEntries(readOnly.map(([name]) => [name, 'mine']));
      const answer = await admin.post(resource.path, {
        pk: 'mine',
        no_such_member: { deep: [1] },
        __proto__: { polluted: true },
        constructor: 'mine',
        ...strange,
        ...(await bodyFor(resource)),
      });
      expect([answer.status, answer.text]).toEqual([201, answer.text]);
      for (const [name] of readOnly) expect([name, answer.body[name]]).not.toEqual([name, 'mine']);
      expect(answer.body).not.toHaveProperty('no_such_member');
    });

    testEngine('refuses bodies that are not objects', async () => {
      const here = ground();
      const { resource, admin } = here;
      const json = { 'content-type': 'application/json' };
      await unchanging(here, null, async () => {
        for (const [body, status] of [
          ['{bad', 400],
          ['[]', 400],
          ['null', 400],
          ['"text"', 400],
          ['1', 400],
          ['\u0000', 400],
        ] as const) {
          const answer = await admin.send('POST', resource.path, body, json);
          expect([body, answer.status]).toEqual([body, status]);
        }
        const form = await admin.send('POST', resource.path, 'name=x', {
          'content-type': 'application/x-www-form-urlencoded',
        });
        expect(form.status).toBe(415);
      });
    });

    testEngine('as a dry run returns the result and stores nothing', async () => {
      const here = ground();
      const { resource, admin, bodyFor } = here;
      const body = await bodyFor(resource);
      await unchanging(here, null, async () => {
        const answer = await admin.post(`${resource.path}?dry_run=true`, body);
        expect([answer.status, answer.text]).toEqual([201, answer.text]);
        expect(answer.body).toMatchObject(echoed(resource, body));
      });
    });
  },
  ({ verbs }) => verbs.includes('create'),
);

describeEveryResource(
  'changing',
  (ground, declared, testEngine) => {
    const { verbs } = declared;
    testEngine('by an empty PATCH changes nothing', async () => {
      const here = ground();
      const { path } = await here.make(here.resource.model);
      const before = (await here.admin.get(path)).body;
      const { answer, event } = await recorded(here, () => here.admin.patch(path, {}), 200);
      expect(event).toMatchObject({ action: 'model_updated', context: { model: modelOf(here.resource) } });
      const touched = Object.entries(here.resource.allFields).filter(([, { onWrite }]) => onWrite);
      const unset = Object.fromEntries(touched.map(([name]) => [name, undefined]));
      expect({ ...answer.body, ...unset }).toEqual({ ...before, ...unset });
    });

    test('stores and returns what was sent, and records one event', async () => {
      const here = ground();
      const { resource, admin } = here;
      for (const method of verbs.includes('update') ? ['PATCH', 'PUT'] : ['PATCH']) {
        const { path } = await here.make(resource.model);
        const body = await here.bodyFor(resource);
        const { answer } = await recorded(here, () => admin.send(method, path, body), 200);
        expect(answer.body).toMatchObject(echoed(resource, body));
      }
    });

    const required = requiredNames(declared);
    const replacing = verbs.includes('update') && required.length > 0 ? testEngine : () => {};
    replacing('by PUT demands every required member', async () => {
      const here = ground();
      const { path } = await here.make(here.resource.model);
      await unchanging(here, path, async () => {
        const answer = await here.admin.put(path, {});
        const complaints = Object.fromEntries(required.map((name) => [name, ['This field is required.']]));
        expect([answer.status, answer.body]).toEqual([400, complaints]);
      });
    });

    testEngine('as a dry run returns the result and stores nothing', async () => {
      const here = ground();
      const { path } = await here.make(here.resource.model);
      const body = await here.bodyFor(here.resource);
      await unchanging(here, path, async () => {
        for (const method of verbs.includes('update') ? ['PATCH', 'PUT'] : ['PATCH']) {
          const answer = await here.admin.send(method, `${path}?dry_run=true`, body);
          expect([answer.status, answer.text]).toEqual([200, answer.text]);
          expect(answer.body).toMatchObject(echoed(here.resource, body));
        }
      });
    });

    testEngine('is refused with 412 when If-Match does not match', async () => {
      const here = ground();
      const { path } = await here.make(here.resource.model);
      await checkIfMatch(here, path, 'PATCH', {}, 200);
      if (verbs.includes('update')) await checkIfMatch(here, path, 'PUT', await here.bodyFor(here.resource), 200);
    });
  },
  ({ verbs }) => verbs.includes('partial_update'),
);

/** A write goes through with the tag that was read or with `*`, and not with another. */
async function checkIfMatch(here: ResourceGround, path: string, method: string, body: unknown, status: number) {
  const etag = (await here.admin.get(path)).headers.get('etag') ?? '';
  expect(etag).toMatch(/^".+"$/);
  await unchanging(here, path, async () => {
    const stale = await here.admin.send(method, path, body, { 'if-match': '"something else"' });
    expect(stale.status).toBe(412);
  });
  const fresh = await here.admin.send(method, path, body, { 'if-match': `"something else", ${etag}` });
  expect([fresh.status, fresh.text]).toEqual([status, fresh.text]);
}

describeEveryResource(
  'deleting',
  (ground, _, testEngine) => {
    test('deletes the object once and records one event', async () => {
      const here = ground();
      const { resource, admin } = here;
      const { path } = await here.make(resource.model);
      const { event } = await recorded(here, () => admin.delete(path), 204);
      expect(event).toMatchObject({ action: 'model_deleted' });
      expect((await admin.delete(path)).status).toBe(404);
      expect((await admin.get(path)).status).toBe(resource.verbs.includes('retrieve') ? 404 : 405);
    });

    testEngine('deletes nothing in a dry run or with a stale ETag', async () => {
      const here = ground();
      const { path }: Sample = await here.make(here.resource.model);
      const isReadable = here.resource.verbs.includes('retrieve');
      await unchanging(here, isReadable ? path : null, async () => {
        expect((await here.admin.delete(`${path}?dry_run=true`)).status).toBe(204);
      });
      if (isReadable) await checkIfMatch(here, path, 'DELETE', undefined, 204);
    });
  },
  ({ verbs }) => verbs.includes('destroy'),
);
