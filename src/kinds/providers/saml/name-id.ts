import type { NamingAttribute } from '../../../core/directory/known-by-attribute.ts';
import { uidOf } from '../../../core/directory/uid.ts';
import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import { isJsonObject } from '../../../lib/json.ts';
import { nameIdFormats, specifiedFormat } from '../../../lib/saml/names.ts';

/** The NameID of a user. */
export interface NameId {
  readonly value: string;
  readonly format: string;
}

export interface NameIdNeeds {
  readonly installId: string;
  /** Identifies the user at this service provider during this session only (transient). */
  readonly transient: () => string;
}

/** The formats with values that several users can share: attributes and addresses. */
const attributeOfFormat: ReadonlyMap<string, NamingAttribute> = new Map([
  [nameIdFormats.x509, 'distinguishedName'],
  [nameIdFormats.windows, 'upn'],
  [nameIdFormats.email, 'email'],
]);

/** The attribute for a format, in any of its spellings. */
export const attributeOf = (format: string): NamingAttribute | undefined =>
  attributeOfFormat.get(specifiedFormat(format));

export const knownFormats: ReadonlySet<string> = new Set(Object.values(nameIdFormats));

/**
 * The NameID in a format. Empty if the user has no value: callers must reject it, since it would match several users.
 */
export function nameIdOf(format: string, user: UserFacts, { installId, transient }: NameIdNeeds): NameId {
  const uid = uidOf(user.pk, installId);
  const attribute = attributeOf(format);
  if (attribute !== undefined && attribute !== 'email') {
    const value = isJsonObject(user.attributes) ? user.attributes[attribute] : undefined;
    return { value: typeof value === 'string' && value !== '' ? value : uid, format };
  }
  switch (format) {
    case nameIdFormats.email:
      return { value: user.email, format };
    case nameIdFormats.transient:
      return { value: transient(), format };
    default:
      return { value: uid, format };
  }
}
