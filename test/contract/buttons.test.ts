import { describe, expect, test } from 'vitest';
import { documentUnder, openApiDocument } from '../../src/resource/document/openapi.ts';
import type { OpenApiDocument } from '../../src/resource/document/openapi-types.ts';
import type { Operation } from '../../src/resource/document/operation.ts';
import { hasButton } from '../../src/resource/document/ui-metadata/button.ts';
import { createRegistry } from '../../src/resource/registry.ts';
import { actionsOf } from '../../web/admin/api/action.ts';
import { operations, resources, standardIds } from './every-resource.ts';

/** The list that an operation belongs to: the longest path of a resource that its own begins with. */
const listOf = ({ path }: Operation) =>
  resources
    .filter((resource) => path.startsWith(resource.path))
    .toSorted((one, other) => other.path.length - one.path.length)[0]?.path;

const verbs = /_(list|create|retrieve|update|partial_update|destroy|used_by_list)$/;
const isVerb = ({ id }: Operation) => standardIds.has(id.replace('_used_by_list', '_used_by')) && verbs.test(id);
const beside = operations.filter((operation) => listOf(operation) && !isVerb(operation));

describe('each operation of a resource beside its verbs', () => {
  test.each(beside.map((operation) => [operation.id, operation] as const))(
    '%s is declared with a button or with the reason why not',
    (_, { page }) => {
      expect(page).toBeDefined();
      if (!page || hasButton(page)) return;
      expect(page.noButton).toMatch(/^[A-Z].{15,}\.$/);
    },
  );

  test('is offered on pages if it has a button, and takes the session of a browser', () => {
    const facts = { version: '', prefix: '/api/v3', sessionCookie: '' };
    const whole = openApiDocument(operations, createRegistry(resources), facts);
    const offered = new Set(
      resources.flatMap(({ path }) => {
        const part: unknown = documentUnder(whole, path);
        return actionsOf(path, '', part as OpenApiDocument, (text) => text).map(
          (action) => `${action.method} ${action.path} ${action.label}`,
        );
      }),
    );
    const declared = beside.flatMap(({ method, path, page, credentials }) => {
      if (!hasButton(page)) return [];
      expect([path, credentials?.includes('session') ?? true]).toEqual([path, true]);
      return [`${method} ${path.replace(/\{\w+\}/, '{key}')} ${page.button}`];
    });
    expect(declared.length).toBeGreaterThan(20);
    expect(declared.filter((one) => !offered.has(one))).toEqual([]);
  });
});
