import { beforeAll, describe, test } from 'vitest';
import type { OpenApiDocument } from '../../src/resource/document/openapi-types.ts';
import type { Resource } from '../../src/resource/resource.ts';
import type { Api } from '../support/api.ts';
import { describeOnBoth, startServer, type TestServer } from '../support/server.ts';
import { createDocumentCheck, type DocumentCheck } from './document-check.ts';
import { inPersonWhereNeeded } from './in-person.ts';
import { createMaker, type Maker } from './maker.ts';
import { createProbe, type Probe } from './probe.ts';
import { createStored, type Stored } from './stored.ts';

// Tests are named after the resources before any server runs, so a server is asked once what there is.
const catalogue = await listCatalogue();
export const { resources } = catalogue;
export const { operations } = catalogue;

async function listCatalogue() {
  const { app, close } = await startServer('sqlite');
  await close();
  return { resources: app.engine.registry.resources, operations: app.operations };
}

export const operationIds: readonly string[] = operations.map(({ id }) => id);
/** The operations that can be tried without storing anything. */
export const dryRunnableIds: ReadonlySet<string> = new Set(
  operations.filter(({ parameters }) => parameters.some(({ name }) => name === 'dry_run')).map(({ id }) => id),
);
/** The operations that follow from the verbs of a resource. */
export const standardIds: ReadonlySet<string> = new Set(
  resources.flatMap(({ operationPrefix, verbs }) => verbs.map((verb) => `${operationPrefix}_${verb}`)),
);

/** What every contract test works with. Answers through these clients are held against the OpenAPI document. */
export interface Ground extends Maker {
  readonly server: TestServer;
  readonly admin: Api;
  readonly nobody: Api;
  readonly probe: Probe;
  readonly stored: Stored;
  readonly check: DocumentCheck;
}

export async function prepareGround(server: TestServer): Promise<Ground> {
  // Rows that jobs write meanwhile would be attributed to the operation under test.
  await server.app.jobs.stop();
  const document = (await server.nobody.get('/schema/')).body as OpenApiDocument;
  const check = createDocumentCheck(document, server.app.operations);
  return {
    ...createMaker(server),
    server,
    check,
    admin: check.watch(await inPersonWhereNeeded(server, server.admin)),
    nobody: check.watch(server.nobody),
    probe: await createProbe(server, async (api) => check.watch(await inPersonWhereNeeded(server, api))),
    stored: await createStored(server),
  };
}

export interface ResourceGround extends Ground {
  readonly resource: Resource;
}

/** Makes objects as the maker does, and finds those of this resource by its own path. */
function makeBehind(resource: Resource, { make, server }: Ground): Maker['make'] {
  if (!resource.isAlternate) return make;
  return async (model, owner) => {
    const sample = await make(model, owner);
    if (model !== resource.model) return sample;
    await serve(server, resource, sample.pk);
    return { ...sample, resource, path: `${resource.path}${sample.pk}/` };
  };
}

/** What outposts read are providers that an application uses. */
export async function serve({ admin }: TestServer, { path }: Resource, provider: string | number): Promise<void> {
  if (!/^\/outposts\/(ldap|proxy|radius)\//.test(path)) return;
  const slug = `served-${provider}`;
  const { status, text } = await admin.post('/core/applications/', { name: slug, slug, provider });
  if (status !== 201) throw new Error(`no application: ${text}`);
}

/** The resources that stand for all others in tests of what the engine does in the same way for each of them. */
const examples: ReadonlySet<string> = new Set([
  '/core/users/',
  '/core/groups/',
  '/core/tokens/',
  '/policies/expression/',
  '/providers/oauth2/',
]);

type DefineTest = (name: string, work: () => Promise<void>) => void;

/**
 * The same tests for every resource in the catalogue that `which` picks. A test runs on both databases if statements of
 * the resource's own decide its outcome. The engine decides that of a test which is defined with `testEngine`: on
 * PostgreSQL it runs for a few resources only.
 */
export function describeEveryResource(
  name: string,
  tests: (ground: () => ResourceGround, resource: Resource, testEngine: DefineTest) => void,
  which: (resource: Resource) => boolean = () => true,
): void {
  const chosen = resources.filter(which);
  if (chosen.length === 0) throw new Error(`no resource is concerned by the tests of ${name}`);
  describeOnBoth(name, (server, kind) => {
    let ground: Ground | undefined;
    beforeAll(async () => {
      ground = await prepareGround(server());
    });
    describe.each(chosen.map((resource) => [resource.path, resource] as const))('%s', (path, declared) => {
      const here = () => {
        const prepared = ground as Ground;
        const resource = prepared.server.app.engine.registry.resources.find((other) => other.path === path) as Resource;
        return { ...prepared, resource, make: makeBehind(resource, prepared) };
      };
      tests(here, declared, kind === 'sqlite' || examples.has(path) ? test : () => {});
    });
  });
}
