import { isJsonObject } from '../../lib/json.ts';
import type { Actor } from '../../resource/access/actor.ts';
import { describeField } from '../../resource/document/ui-metadata/field.ts';
import { describeResource } from '../../resource/document/ui-metadata/resource.ts';
import type { Field } from '../../resource/fields/field.ts';
import type { Registry } from '../../resource/resource.ts';
import type { ReadOperation } from './page-operation.ts';

/** The keys of objects that a response contains or refers to, by model. Nested objects already contain their names. */
export function referencesIn(
  body: unknown,
  { verb, resource }: ReadOperation,
  registry: Registry,
  actor: Actor,
): Map<string, string[]> {
  const keys = new Map<string, string[]>();
  if (!resource) return keys;
  const { model, keyName, allFields } = resource;
  const add = (of: string, key: unknown) => {
    if (typeof key === 'string' || typeof key === 'number') keys.set(of, [...(keys.get(of) ?? []), String(key)]);
  };
  if (verb === 'used_by')
    for (const use of rowsOf(body))
      if (registry.find(`${use.app}.${use.model_name}`)) add(`${use.app}.${use.model_name}`, use.pk);
  const retrieved = verb === 'retrieve' ? rowsOf([body]) : [];
  if (keyName !== null) for (const row of retrieved) add(model, row[keyName]);
  const results = isJsonObject(body) ? rowsOf(body.results) : [];
  const rows = verb === 'list' ? results : retrieved;
  const { columns, title } = describeResource(resource, registry);
  const members = verb === 'list' ? columns : Object.keys(allFields);
  for (const name of rows.length > 0 ? members : []) {
    const field = allFields[name];
    const { kind = '', model: of } = field ? describeField(name, field) : {};
    if (!of || !kind.startsWith('reference')) continue;
    for (const value of rows.flatMap((row) => row[name] ?? [])) add(of, value);
  }
  // Rows without a name of their own are called by what they connect; of others, rules may leave the caller less.
  const isLimited = (resource.rightsOf !== undefined || resource.reaches !== undefined) && !actor.isSuperuser;
  if (verb === 'list' && keyName !== null && (isLimited || isReference(allFields[title])))
    for (const row of rows) add(model, row[keyName]);
  // What an action lists has no fields; such as what was sent of each person and group.
  if (verb === 'other') for (const row of results) for (const [name, of] of people) add(of, row[name]);
  return keys;
}

const isReference = (field: Field | undefined): boolean =>
  field !== undefined && describeField('', field).kind === 'reference';

const people = [
  ['user', 'svc_core.user'],
  ['group', 'svc_core.group'],
] as const;

const rowsOf = (value: unknown) => (Array.isArray(value) ? value.filter(isJsonObject) : []);
