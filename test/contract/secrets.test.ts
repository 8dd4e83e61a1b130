import { expect, test } from 'vitest';
import { isWritable, type Row } from '../../src/resource/fields/field.ts';
import type { Resource } from '../../src/resource/resource.ts';
import { lastEvents } from '../support/events.ts';
import { describeEveryResource, type ResourceGround } from './every-resource.ts';

const secretsOf = ({ allFields }: Resource) => Object.entries(allFields).filter(([, { secret }]) => secret);

/** The texts inside a secret value that are too telling to appear anywhere. */
function tellingTexts(value: unknown): string[] {
  if (typeof value === 'string') return value.length > 8 ? [JSON.stringify(value).slice(1, -1)] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(tellingTexts);
}

/** Creates an object and gives back its path and the secrets it was sent with. */
async function withSecrets({ resource, admin, bodyFor }: ResourceGround) {
  const body: Row = await bodyFor(resource);
  const created = await admin.post(resource.path, body);
  expect([created.status, created.text]).toEqual([201, created.text]);
  const secrets = secretsOf(resource)
    .filter(([name, field]) => isWritable(field) && name in body)
    .map(([name, field]) => ({ name, texts: tellingTexts(body[name]), isHidden: field.writeOnly === true }));
  const key = resource.lookup === 'pk' ? created.body[resource.keyName ?? 'pk'] : created.body[resource.lookup];
  return { path: `${resource.path}${encodeURIComponent(key)}/`, secrets, created };
}

const nests = ({ allFields }: Resource, { model, family }: Resource) =>
  Object.values(allFields).some(
    ({ storage }) => storage.in === 'nested' && [model, family?.model].includes(storage.nest.model),
  );

/** Secrets that the server makes by itself and never shows leave nothing to look for. */
const holdsSecrets = (resource: Resource) =>
  resource.verbs.includes('create') &&
  secretsOf(resource).some(([, field]) => isWritable(field) || field.writeOnly !== true);

describeEveryResource(
  'secrets',
  (ground, _, testEngine) => {
    testEngine('are shown only to callers who may view the object, and write-only ones never', async () => {
      const here = ground();
      const { resource, admin, probe, server, make } = here;
      const { path, secrets, created } = await withSecrets(here);
      const { resources } = server.app.engine.registry;
      const others = resources.filter(({ model }) => model !== resource.model && model !== resource.family?.model);
      // The caller owns an object of each kind that shows one of these inside itself.
      for (const other of others.filter((candidate) => nests(candidate, resource))) await make(other.model, probe.pk);
      const shown: Row[] = (await admin.get(`${resource.path}?page_size=10000`)).body.results;
      const telling = [
        ...secrets.flatMap(({ texts }) => texts),
        ...shown.flatMap((row) => secretsOf(resource).flatMap(([name]) => tellingTexts(row[name]))),
      ];
      expect(telling).not.toEqual([]);
      // Everything may be viewed but what the secrets belong to.
      await probe.holds(...others.map((other) => other.permission('view')));
      for (const other of others.filter(({ verbs }) => verbs.includes('list'))) {
        const { text } = await probe.api.get(`${other.path}?page_size=10000`);
        expect([other.path, telling.filter((secret) => text.includes(secret))]).toEqual([other.path, []]);
      }
      const own = [created.text, (await admin.get(path)).text];
      for (const { name, texts } of secrets.filter(({ isHidden }) => isHidden)) {
        for (const text of texts) expect([name, own.some((body) => body.includes(text))]).toEqual([name, false]);
      }
    });

    testEngine('appear in no event', async () => {
      const here = ground();
      const { resource, admin } = here;
      const { path, secrets } = await withSecrets(here);
      const changed = await here.bodyFor(resource);
      const written = resource.verbs.includes('partial_update') ? [await admin.patch(path, changed)] : [];
      for (const { status } of written) expect(status).toBe(200);
      const texts = [
        ...secrets.flatMap((secret) => secret.texts),
        ...secretsOf(resource).flatMap(([name]) => tellingTexts(changed[name])),
      ];
      const events = JSON.stringify(await lastEvents(here.server, 50));
      expect(texts.filter((text) => events.includes(text))).toEqual([]);
    });

    test('are not stored in plain text', async () => {
      const here = ground();
      const { secrets } = await withSecrets(here);
      const rows = await here.stored.rowsOf(here.resource.table);
      const base = here.resource.family ? await here.stored.rowsOf(here.resource.family.table) : '';
      const texts = secrets.flatMap((secret) => secret.texts);
      expect(texts.filter((text) => `${rows}${base}`.includes(text))).toEqual([]);
    });
  },
  holdsSecrets,
);
