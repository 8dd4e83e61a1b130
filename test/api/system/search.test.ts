import { beforeAll, describe, expect, test } from 'vitest';
import { searchedResources, searchScopeOf } from '../../../src/core/interface/search-scope.ts';
import type { Resource } from '../../../src/resource/resource.ts';
import { resources } from '../../contract/every-resource.ts';
import { createMaker, type Maker } from '../../contract/maker.ts';
import { describeOnSqlite } from '../../support/server.ts';

const ofPerson = 'It belongs to a person, whose page shows it.';
const ofGrant = 'It has no name; the pages of its person and its application show it.';
const ofSource = 'It has no name; the page of its source shows it.';

/** What the search over all kinds leaves out, and why. */
const leftOut: Readonly<Record<string, string>> = {
  '/core/authenticated_sessions/': ofPerson,
  '/core/user_consent/': ofPerson,
  '/events/events/': 'Events have a page with a search of its own.',
  '/events/notifications/': 'It belongs to a person, who reads it in their account.',
  '/events/system_tasks/': 'There is one for each run of a job; the maintenance page shows the last ones.',
  '/flows/bindings/': 'It has no name; the page of its flow shows it.',
  '/oauth2/access_tokens/': ofGrant,
  '/oauth2/authorization_codes/': ofGrant,
  '/oauth2/refresh_tokens/': ofGrant,
  '/policies/bindings/': 'It has no name; the page of its target shows it.',
  '/policies/reputation/scores/': 'There is one for each name and address that tried to sign in.',
  '/rbac/permissions/roles/': 'It has no name; the page of its holder shows it.',
  '/rbac/permissions/users/': 'It has no name; the page of its holder shows it.',
  '/sources/group_connections/': ofSource,
  '/sources/user_connections/': ofPerson,
  '/authenticators/': ofPerson,
};

const reasonFor = (path: string) => Object.entries(leftOut).find(([prefix]) => path.startsWith(prefix))?.[1] ?? null;

describe('the search over all kinds', () => {
  test('leaves out only what is declared to be elsewhere', () => {
    const listed = resources.filter(({ verbs }) => verbs.includes('list'));
    const found = listed.map(({ path, page }) => [path, page?.notInSearch ?? null]);
    expect(found).toEqual(listed.map(({ path }) => [path, reasonFor(path)]));
    for (const one of listed.filter(({ page }) => page?.notInSearch === undefined))
      expect([one.path, searchScopeOf(one)]).toEqual([one.path, 'global']);
  });
});

describeOnSqlite('the search over all kinds', (server) => {
  let maker: Maker;
  beforeAll(async () => {
    await server().app.jobs.stop();
    maker = createMaker(server());
  });

  const all = searchedResources({ resources, find: findModel }, { isSuperuser: true });
  test.each(all.map(({ path, model }) => [path, model]))('finds an object of %s', async (_path, model) => {
    const { pk, resource } = await maker.make(model);
    const { admin, app } = server();
    const [named] = (await admin.get(`/admin/objects/?keys=${model}:${pk}`)).body;
    const row = (await admin.get(named.path)).body;
    const terms = (app.engine.registry.require(resource.model).search ?? [])
      .map((path) => valueAt(row, path))
      .filter((value): value is string => typeof value === 'string' && value.length > 1);
    expect(terms).not.toEqual([]);
    const paths: string[] = [];
    for (const term of terms) {
      const { body } = await admin.get(`/admin/objects/?search=${encodeURIComponent(term)}`);
      paths.push(...body.map(({ path }: { path: string }) => path));
    }
    expect(paths).toContain(named.path);
  });
});

/** `user.username` is a member of the nested `user_obj`. */
function valueAt(row: Record<string, unknown>, path: string): unknown {
  const [member = '', inner] = path.split('.');
  return inner === undefined ? row[member] : Object(row[`${member}_obj`] ?? row[member])[inner];
}

function findModel(model: string): Resource | undefined {
  return resources.find((one) => one.model === model && !one.isAlternate);
}
