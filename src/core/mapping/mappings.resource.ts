import type { Json } from '../../lib/json.ts';
import { Invalid } from '../../lib/problem.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import { isVisible } from '../../resource/access/access.ts';
import { actionOn } from '../../resource/define.ts';
import { booleanSchema, objectSchema, stringSchema } from '../../resource/document/json-schema.ts';
import { defineFamilyList } from '../../resource/family.ts';
import { missingObject, ref } from '../../resource/fields/ref.ts';
import { json } from '../../resource/fields/structured.ts';
import type { ActionInput, Resource } from '../../resource/resource.ts';
import { hasFlag } from '../../resource/write/flags.ts';
import { evaluateMapping, MappingFailed } from './evaluate.ts';
import { mappingFamily, mappingFilters } from './mapping.family.ts';
import { loadGroupFacts, loadUserFacts } from './user-facts.ts';

export function mappingsResource({ sandbox }: { readonly sandbox: Sandbox }): Resource {
  return defineFamilyList({
    family: mappingFamily(sandbox),
    path: '/propertymappings/all/',
    param: 'pm_uuid',
    key: 'uuid',
    schema: 'PropertyMapping',
    names: ['Property Mapping', 'Property Mappings'],
    order: ['name'],
    search: ['name'],
    filters: mappingFilters,
    actions: [testAction(sandbox)],
  });
}

const body = {
  user: ref('svc_core.user', 'int', { nullable: true, help: 'Whom the mapping is tried with.' }),
  context: json({ default: () => ({}), help: 'Further names that the expression knows.' }),
  group: ref('svc_core.group', 'uuid', { nullable: true, help: 'The group the mapping is tried with.' }),
};

/** Running an expression requires permission to change it; viewing is not enough. */
function testAction(sandbox: Sandbox) {
  return actionOn<{ pk: string; expression: string }>()({
    name: 'test',
    on: 'row',
    method: 'POST',
    page: { noButton: 'The page of a mapping runs it under Try.' },
    summary: 'Try a property mapping',
    access: 'change',
    body,
    bodySchema: 'PropertyMappingTestRequest',
    query: { format_result: booleanSchema },
    answer: {
      status: 200,
      schema: objectSchema({ result: stringSchema, successful: booleanSchema }),
      schemaName: 'PropertyMappingTestResult',
    },
    async prepare(input) {
      const globals = await globalsOf(input);
      const indent = hasFlag(input.call.request.query, 'format_result') ? 4 : undefined;
      try {
        const value = evaluateMapping(sandbox, input.row.expression, globals);
        return { result: JSON.stringify(value, null, indent), successful: true };
      } catch (error) {
        if (error instanceof MappingFailed) return { result: error.message, successful: false };
        throw error;
      }
    },
    run: async ({ prepared }) => prepared,
  });
}

/** The variables of the expression: the context's members, `user` and `request`. */
async function globalsOf(input: ActionInput<unknown, typeof body>): Promise<Record<string, Json>> {
  const { call, values } = input;
  await checkVisible(input, 'user', 'svc_core.user');
  await checkVisible(input, 'group', 'svc_core.group');
  const query = call.db.read;
  const user = values.user === null ? null : await loadUserFacts(query, values.user);
  const group = values.group === null ? null : await loadGroupFacts(query, values.group);
  const { context } = values;
  return { ...context, user, group, request: { user, context, http_request: null, obj: null } };
}

/** A user whom the caller may not see does not exist for them. */
async function checkVisible(
  { call, registry, values }: ActionInput<unknown, typeof body>,
  name: 'user' | 'group',
  model: string,
): Promise<void> {
  const key = values[name];
  if (key === null || (await isVisible(registry.require(model), key, call, registry))) return;
  throw Invalid.field(name, missingObject(key));
}
