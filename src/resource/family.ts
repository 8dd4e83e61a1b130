import { defineResource } from './define.ts';
import { arrayOf, stringSchema } from './document/json-schema.ts';
import { derivedField } from './fields/computed.ts';
import { type Fields, hidden, type Row } from './fields/field.ts';
import { text } from './fields/text.ts';
import type { Action, AfterWrite, Declaration, Family, Resource } from './resource.ts';
import { readAndDeleteVerbs } from './verb.ts';

/** The list over all kinds of a family, as declared: what it adds to the family's own fields. */
export type FamilyList = Omit<Declaration, 'model' | 'table' | 'family' | 'component' | 'description' | 'fields'> & {
  readonly family: Family;
  readonly fields?: Fields;
};

/** The `…/all/` resource of a family: rows of every kind with their common members and their kind, and `types/`. */
export function defineFamilyList({ family, fields, actions = [], ...rest }: FamilyList): Resource {
  return defineResource({
    verbs: readAndDeleteVerbs,
    ...rest,
    model: family.model,
    table: family.table,
    ...(family.reaches && { reaches: family.reaches }),
    ...(family.signsIn && { signsIn: family.signsIn }),
    fields: { ...family.fields, kind: text(hidden), ...ofKind, ...fields },
    actions: [typesAction(family.model), ...actions],
    afterWrite: consequencesOfKind,
  });
}

/** The kind of a family's row; undefined if this server no longer has it. */
function kindOf<K>(row: Row, { registry }: { registry: { find(model: string): K | undefined } }): K | undefined {
  return typeof row.kind === 'string' ? registry.find(row.kind) : undefined;
}

/** The descriptive members of the row's kind; empty if the kind no longer exists. */
const ofKind: Fields = {
  component: derivedField(stringSchema, (row, context) => kindOf(row, context)?.component ?? ''),
  verbose_name: derivedField(stringSchema, (row, context) => kindOf(row, context)?.names[0] ?? ''),
  verbose_name_plural: derivedField(stringSchema, (row, context) => kindOf(row, context)?.names[1] ?? ''),
  meta_model_name: derivedField(stringSchema, (row) => row.kind),
};

/** Deleting through the common list has the same effects as through the kind's own resource. */
async function consequencesOfKind(input: AfterWrite): Promise<void> {
  await kindOf(input.values, input)?.afterWrite?.(input);
}

function typesAction(familyModel: string): Action {
  return {
    name: 'types',
    on: 'set',
    method: 'GET',
    page: { noButton: 'The page for a new object offers them as choices.' },
    summary: 'List the types that can be created',
    access: 'authenticated',
    answer: { status: 200, schema: arrayOf({ $ref: '#/components/schemas/TypeCreate' }) },
    async run({ registry }) {
      return registry.kinds(familyModel).map(typeFacts).sort(byName);
    },
  };
}

const typeFacts = ({ names, description = '', component = '', modelName }: Resource) => ({
  name: names[0],
  description,
  component,
  model_name: modelName,
  icon_url: '',
  requires_enterprise: false,
});

const byName = (left: { name: string }, right: { name: string }) => left.name.localeCompare(right.name, 'en');
