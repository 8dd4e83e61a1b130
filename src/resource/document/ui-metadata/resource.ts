import { type Field, isShown } from '../../fields/field.ts';
import type { Registry, Resource } from '../../resource.ts';
import type { JsonSchema } from '../json-schema.ts';
import type { FilterMetadata, ResourceMetadata } from '../openapi-types.ts';
import { describeField, describeType } from './field.ts';

export function describeResource(resource: Resource, registry: Registry): ResourceMetadata {
  const { model, names, lookup, page = {}, order, search = [] } = resource;
  const shown = shownFields(resource);
  // A kind may hide fields of its family.
  const declared = page.columns?.filter((name) => shown.some(([other]) => other === name));
  const title = declared?.[0] ?? titleOf(resource);
  return {
    model,
    family: (resource.family && registry.find(resource.family.model)?.path) ?? null,
    names,
    pk: resource.keyName,
    key: lookup === 'pk' ? (resource.keyName ?? 'pk') : lookup,
    title,
    columns: declared ?? [title, ...columnsOf(resource, title)],
    orderable: shown.filter(([, field]) => field.orderable).map(([name]) => name),
    order: order.filter((name) => !name.includes('.')),
    isSearched: search.length > 0,
    always: page.always ?? {},
    filters: filtersOf(resource, registry),
  };
}

const shownFields = ({ allFields }: Resource): [string, Field][] =>
  Object.entries(allFields).filter(([, field]) => isShown(field));

const titles = ['name', 'username', 'title', 'identifier', 'label', 'domain', 'slug', 'action', 'description', 'id'];

const titleOf = (resource: Resource): string => {
  const shown = new Set(shownFields(resource).map(([name]) => name));
  return titles.find((name) => shown.has(name)) ?? resource.keyName ?? 'pk';
};

const columnKinds: ReadonlySet<string> = new Set(['choice', 'flag', 'reference', 'time', 'number', 'text', 'duration']);
/** Members that are the same in most rows or only meant for programs. */
const unremarkable =
  /^(managed|uuid|uid|component|verbose_name_plural|meta_model_name|policy_engine_mode)$|_obj$|^assigned_\w+_slug$/;
const maxColumns = 5;

/** For families the kind, then members with a filter, then the rest in order. */
function columnsOf(resource: Resource, title: string): string[] {
  const isFamily = resource.allFields.kind !== undefined && resource.family === undefined;
  const fields = shownFields(resource)
    .filter(([name, field]) => name !== title && !unremarkable.test(name) && name !== 'verbose_name' && !isBulky(field))
    .filter(([name, field]) => columnKinds.has(describeField(name, field).kind));
  const rank = ([, field]: [string, Field]) => (field.filter ? 0 : 1);
  const names = fields.toSorted((one, other) => rank(one) - rank(other)).map(([name]) => name);
  return [...(isFamily ? ['verbose_name'] : []), ...names].slice(0, maxColumns - 1);
}

const isBulky = ({ kind, secret }: Field): boolean => Boolean(secret) || kind === 'derived';

function filtersOf(resource: Resource, registry: Registry): FilterMetadata[] {
  return Object.entries(resource.filterTable)
    .filter(([name, { notOnPages }]) => !notOnPages && !(name in (resource.page?.always ?? {})))
    .map(([name, { schema }]) => {
      const field = resource.allFields[name];
      const {
        help: _,
        limits: __,
        proposes: ___,
        labels,
        ...note
      } = field ? describeField(name, field, registry) : describeType(name, itemOf(schema));
      const choices = itemOf(schema).enum ?? field?.schema.enum;
      return { name, ...note, ...(choices && { choices, ...(labels && { labels }) }) };
    });
}

const itemOf = (schema: JsonSchema): JsonSchema => schema.items ?? schema;
