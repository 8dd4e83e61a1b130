import { sql } from 'kysely';
import { memoizeWeakly } from '../../lib/memoize.ts';
import { Invalid } from '../../lib/problem.ts';
import type { Call } from '../../resource/call.ts';
import { arrayOf, type JsonSchema, objectSchema, stringSchema } from '../../resource/document/json-schema.ts';
import { createReadNames, type NamedObject, type ReadNames } from '../../resource/document/names.ts';
import { parseKey } from '../../resource/read/read.ts';
import type { Engine, Registry, Resource } from '../../resource/resource.ts';

/** The model that represents every possible target of a policy binding. */
const anyTarget = 'svc_policies.policybindingmodel';
export const maxKeys = 200;

const named = objectSchema({
  model: stringSchema,
  base: { ...stringSchema, description: 'The model of its family, where it was found as one of a family.' },
  pk: stringSchema,
  name: stringSchema,
  type: { ...stringSchema, description: 'What people call its kind.' },
  path: { ...stringSchema, description: 'Where the API has it.' },
  may: {
    ...arrayOf(stringSchema),
    description:
      'What the caller may do with it: `change`, `delete`, `give` a group or a role to others, and the permissions of its actions that they hold on it.',
  },
});

export const namedObjectSchema: JsonSchema = {
  ...named,
  properties: {
    ...named.properties,
    why: {
      ...stringSchema,
      description: 'Why the caller may not change or delete it although they hold the permission: what uses it.',
    },
    fixed: {
      ...arrayOf(stringSchema),
      description: 'Members for which the caller lacks permissions that the object holds or brings.',
    },
  },
};

/** Reads the names of objects by model and keys, as far as the caller may see them. */
export type ReadByKeys = (
  requested: readonly (readonly [model: string, keys: readonly string[]])[],
  call: Call,
  engine: Engine,
) => Promise<NamedObject[]>;

/** One for all: it prepares a statement for each resource. */
export function createNameReaders(): { readNames(engine: Engine): ReadNames; readonly readByKeys: ReadByKeys } {
  const readNames = memoizeWeakly(({ registry }: Engine): ReadNames => createReadNames(registry));
  return {
    readNames,
    async readByKeys(requested, call, engine) {
      const found: NamedObject[] = [];
      for (const [model, keys] of requested) {
        for (const resource of resourcesOf(model, engine.registry, 'keys')) {
          const parsed = keys.map((key) => parseKey(resource, key)).filter((key) => key !== null);
          if (parsed.length === 0) continue;
          const condition = sql`${resource.row().col('pk')} in (${sql.join(parsed)})`;
          found.push(...(await readNames(engine)(resource, call, condition, maxKeys)));
        }
      }
      return found;
    },
  };
}

export type NameReaders = ReturnType<typeof createNameReaders>;

/** The resources of a model. */
export function resourcesOf(model: string, registry: Registry, parameter: string): readonly Resource[] {
  if (model === anyTarget) return registry.resources.filter(({ target, family }) => target && !family);
  const resource = registry.find(model);
  if (!resource) throw Invalid.field(parameter, `There is no model "${model}".`);
  return [resource];
}
