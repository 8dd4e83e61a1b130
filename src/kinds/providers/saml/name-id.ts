import { hash } from 'node:crypto';
import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import { isJsonObject } from '../../../lib/json.ts';
import { nameIdFormats } from '../../../lib/saml/names.ts';

/** A user as a service provider knows them. */
export interface NameId {
  readonly value: string;
  readonly format: string;
}

export interface NameIdNeeds {
  readonly installId: string;
  /** What stands for the person at this service provider during this session, and at no other. */
  readonly transient: () => string;
}

export const knownFormats: ReadonlySet<string> = new Set(Object.values(nameIdFormats));

/** The name in a format. Empty when the user has none: whoever asks must not tell it, for it would be many people's. */
export function nameIdOf(format: string, user: UserFacts, { installId, transient }: NameIdNeeds): NameId {
  const uid = hash('sha256', `${user.pk}-${installId}`);
  const attribute = (name: string) => {
    const value = isJsonObject(user.attributes) ? user.attributes[name] : undefined;
    return typeof value === 'string' && value !== '' ? value : uid;
  };
  switch (format) {
    case nameIdFormats.email:
      return { value: user.email, format };
    case nameIdFormats.x509:
      return { value: attribute('distinguishedName'), format };
    case nameIdFormats.windows:
      return { value: attribute('upn'), format };
    case nameIdFormats.transient:
      return { value: transient(), format };
    default:
      return { value: uid, format };
  }
}
