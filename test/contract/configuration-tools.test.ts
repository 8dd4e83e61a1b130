import { expect, test } from 'vitest';
import { isShown, isWritable } from '../../src/resource/fields/field.ts';
import type { Resource } from '../../src/resource/resource.ts';
import { lastEvents } from '../support/events.ts';
import { describeEveryResource } from './every-resource.ts';

const kept = ({ path, allFields }: Resource) =>
  Object.entries(allFields).filter(
    ([name, field]) =>
      isWritable(field) && isShown(field) && !field.onWrite && !(name === 'expires' && ownTerm.has(path)),
  );

/** The server decides when these end: null stands for its default, and the term of API tokens is renewed. */
const ownTerm: ReadonlySet<string> = new Set(['/core/tokens/', '/stages/invitation/invitations/']);

// Tools that manage configuration as code compare what they read with what they sent: each difference is a change at
// every plan, and null is not the same as a value that the server chose.
describeEveryResource(
  'configuration tools',
  (ground, { verbs }) => {
    test('read null where they sent null', async () => {
      const { resource, admin, bodyFor } = ground();
      for (const [name] of kept(resource).filter(([, { nullable }]) => nullable)) {
        const made = await admin.post(resource.path, { ...(await bodyFor(resource)), [name]: null });
        // Rules of the resource may demand the member.
        if (made.status === 400) continue;
        expect([name, made.status, made.body[name]]).toEqual([name, 201, null]);
        const key = encodeURIComponent(made.body[resource.lookup] ?? made.body[resource.keyName ?? '']);
        const { status, body } = await admin.get(`${resource.path}${key}/`);
        expect([name, status, body[name]]).toEqual([name, 200, null]);
      }
    });

    const changing = verbs.includes('partial_update') ? test : () => {};
    changing('change nothing when they send back what they read', async () => {
      const { resource, admin, make } = ground();
      const { path } = await make(resource.model);
      const read = (await admin.get(path)).body;
      const same = Object.fromEntries(kept(resource).map(([name]) => [name, read[name]]));
      const { status, body } = await admin.patch(path, same);
      expect([status, body]).toEqual([200, body]);
      const events = await lastEvents(ground().server, 2);
      const event = events.find(({ action }) => action === 'model_updated');
      expect(event?.context.diff).toEqual({});
      expect(Object.fromEntries(kept(resource).map(([name]) => [name, body[name]]))).toEqual(same);
    });
  },
  ({ verbs }) => verbs.includes('create') && verbs.includes('retrieve'),
);
