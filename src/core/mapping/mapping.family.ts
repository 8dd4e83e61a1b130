import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import type { CorrectRights } from '../../resource/access/visibility.ts';
import { defineResource } from '../../resource/define.ts';
import { expression } from '../../resource/fields/expression.ts';
import type { Fields } from '../../resource/fields/field.ts';
import { text } from '../../resource/fields/text.ts';
import { isNullFilter, oneOfFilter } from '../../resource/list/filters.ts';
import type { StoredRow } from '../../resource/read/stored-row.ts';
import type { Family, KindDeclaration, Resource } from '../../resource/resource.ts';
import { giveRight } from '../access/delegation.ts';

export const mappingModel = 'svc_core.propertymapping';

/** The members common to all property mappings. */
export function mappingFamily(sandbox: Sandbox) {
  return {
    model: mappingModel,
    table: 'property_mappings',
    reaches: 'sign-in',
    fields: {
      managed: text({
        nullable: true,
        default: null,
        unique: 'Property Mapping with this managed already exists.',
        limits: { only: 'server' },
        help: 'Marks objects that Gatehouse creates and keeps up to date.',
      }),
      name: text({
        unique: 'Property Mapping with this name already exists.',
        filter: true,
        help: 'The name of the mapping; unique.',
        isObvious: true,
      }),
      expression: expression(sandbox.check, { help: 'The body of a function that returns the values to set.' }),
    },
  } satisfies Family;
}

export const mappingFilters = { managed: oneOfFilter('managed'), managed__isnull: isNullFilter('managed') };

/** Adds the right to have providers use a mapping. */
const usable = async (): Promise<CorrectRights> => (_, may) => ({ may: [...may, giveRight] });

type MappingFields = ReturnType<typeof mappingFamily>['fields'];

/** A kind of property mapping: its own fields, if any, on top of the family's. Its table has at least the key. */
export function defineMapping<F extends Fields>(
  { sandbox }: { readonly sandbox: Sandbox },
  kind: KindDeclaration<F, MappingFields>,
): Resource<StoredRow<F, MappingFields, 'uuid'>> {
  return defineResource({
    param: 'pm_uuid',
    key: 'uuid',
    family: mappingFamily(sandbox),
    order: ['name'],
    search: ['name'],
    rightsOf: usable,
    ...kind,
    filters: { ...mappingFilters, ...kind.filters },
  });
}
