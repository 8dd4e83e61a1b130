import { MappingFailed, mergeMappings, mergeMappingsForEach } from '../../../../core/mapping/evaluate.ts';
import { isJsonObject, type Json } from '../../../../lib/json.ts';
import { parseDn } from '../../../../lib/ldap/dn.ts';
import type { Sandbox } from '../../../../platform/sandbox/sandbox.ts';
import { findUnstorable } from '../../../../resource/fields/well-formed.ts';
import { userPath } from '../../../../source/properties.ts';
import { asJson, type DirectoryEntry } from '../client/values.ts';
import type { LdapSource } from '../ldap-model.ts';

type Properties = Record<string, Json>;

/** What the mappings make of an entry, or why they fail. */
export type Mapped =
  | { readonly properties: Properties; readonly unknown: readonly string[] }
  | { readonly failure: string };

export interface Mapping {
  readonly name: string;
  readonly expression: string;
}

const known = {
  user: { texts: ['username', 'name', 'email', 'path'], other: ['attributes'] },
  group: { texts: ['name'], other: ['attributes'] },
} as const;

/** Expressions see the entry as `ldap`, its name as `dn` and, parsed, as `rdns`. */
const wrapped = ({ name, expression }: Mapping): Mapping => ({
  name,
  expression: `return ((ldap, dn, rdns) => {${expression}\n})(entry.ldap, entry.dn, entry.rdns);`,
});

/** Maps many entries. One whose mapping fails does not keep the others from being mapped. */
export function mapEntries(
  sandbox: Sandbox,
  source: LdapSource,
  kind: 'user' | 'group',
  mappings: readonly Mapping[],
  entries: readonly DirectoryEntry[],
): Mapped[] {
  const path = userPath(source);
  const about = { source: { pk: source.pk, name: source.name, slug: source.slug, path } };
  const base: Properties = kind === 'user' ? { path } : {};
  const all = mappings.map(wrapped);
  const values: Json[] = entries.map((entry) => ({
    ldap: asJson(entry),
    dn: entry.dn,
    rdns: (parseDn(entry.dn) ?? []).map(([first]) => ({
      type: first?.type.toLowerCase() ?? '',
      value: first?.value ?? '',
    })),
  }));
  try {
    const mapped = mergeMappingsForEach(sandbox, all, about, { name: 'entry', values });
    return mapped.map((one) => readProperties(kind, { ...base, ...one }));
  } catch (error) {
    if (!(error instanceof MappingFailed)) throw error;
  }
  return values.map((entry) => {
    try {
      return readProperties(kind, mergeMappings(sandbox, all, { ...about, entry }, base).value);
    } catch (error) {
      if (error instanceof MappingFailed) return { failure: `A mapping failed: ${error.message}` };
      throw error;
    }
  });
}

/**
 * Only these members are taken over; of a list where one text is expected, the first. Permissions are never among them.
 */
function readProperties(kind: 'user' | 'group', mapped: Properties): Mapped {
  const { texts, other } = known[kind];
  const properties: Properties = {};
  for (const name of texts) {
    const value = mapped[name];
    const first = Array.isArray(value) ? value[0] : value;
    if (first === undefined || first === null) continue;
    if (typeof first !== 'string' && typeof first !== 'number')
      return { failure: `The property ${name} must be a text.` };
    properties[name] = String(first);
  }
  if (isJsonObject(mapped.attributes)) properties.attributes = mapped.attributes;
  if (findUnstorable(properties)) return { failure: 'Null characters are not allowed.' };
  const isKnown = (name: string) => [...texts, ...other].some((each) => each === name);
  return { properties, unknown: Object.keys(mapped).filter((name) => !isKnown(name)) };
}
