import { normalizeType } from '../../../../lib/ldap/dn.ts';
import type { Attribute } from '../../../../lib/ldap/message.ts';
import { attributeNames, operationalAttributes } from '../schema.ts';
import type { Entry } from './match.ts';

/** Which attributes a client asks for (RFC 4511, section 4.5.1.8). */
export interface Selection {
  readonly hasAllOfUsers: boolean;
  readonly hasAllOperational: boolean;
  readonly names: ReadonlySet<string>;
}

export function selectionOf(asked: readonly string[]): Selection {
  // Some clients ask for several by one text.
  const names = asked.flatMap((name) => name.split(',')).map((name) => name.trim());
  const isNone = names.length === 1 && names[0] === '1.1';
  return {
    hasAllOfUsers: !isNone && (names.length === 0 || names.includes('*')),
    hasAllOperational: names.includes('+'),
    names: new Set(names.map(normalizeType)),
  };
}

export const isSelected = ({ hasAllOfUsers, hasAllOperational, names }: Selection, type: string): boolean =>
  names.has(type) || (operationalAttributes.has(type) ? hasAllOperational : hasAllOfUsers);

/** The attributes of an entry as they are sent. */
export const selected = (
  { attributes }: Entry,
  selection: Selection,
  { typesOnly, published = [] }: { readonly typesOnly: boolean; readonly published?: readonly string[] },
): Attribute[] =>
  [...attributes]
    .filter(([type]) => isSelected(selection, type))
    .map(([type, values]) => ({
      name: attributeNames.get(type) ?? published.find((name) => normalizeType(name) === type) ?? type,
      values: typesOnly ? [] : values,
    }));
