import { isAmbiguousName } from '../../../../core/directory/known-by-attribute.ts';
import type { UserFacts } from '../../../../core/mapping/user-facts.ts';
import type { Call } from '../../../../resource/call.ts';
import { type MappedUser, mapUser } from '../attributes.ts';
import { transientIdOf } from '../logins.ts';
import { attributeOf, type NameId, nameIdOf } from '../name-id.ts';
import type { SamlNeeds } from '../needs.ts';
import type { ServiceProvider } from '../service-provider.ts';
import type { PendingRequest } from './pending-request.ts';
import { SamlRefusal } from './saml-refusal.ts';
import { wantedFormat } from './wanted-format.ts';

export type TellNeeds = Pick<SamlNeeds, 'key' | 'publicUrl' | 'installId' | 'sandbox' | 'keyOf' | 'refusals'>;

interface Telling extends Pick<PendingRequest, 'nameIdFormat'> {
  readonly provider: ServiceProvider;
  readonly user: UserFacts;
  readonly session: string;
}

/** What a service provider is told of a user: a name and attributes. Throws `SamlRefusal` where it would not know who that is. */
export async function tellOf(
  needs: TellNeeds,
  call: Call,
  telling: Telling,
): Promise<{ readonly nameId: NameId; readonly mapped: MappedUser }> {
  const mapped = mappedUser(needs, telling);
  const nameId = nameIdFor(needs, telling, mapped);
  await checkOneUser(needs, call, telling, nameId);
  return { nameId, mapped };
}

/** What the mappings say of a user, cached while neither changes. */
function mappedUser({ sandbox }: TellNeeds, { provider, user }: Telling): MappedUser {
  const known = provider.mappedUsers.get(user);
  if (known) return known;
  const mapped = mapUser(sandbox, provider, user);
  if (mapped.isLasting) provider.mappedUsers.set(user, mapped);
  return mapped;
}

/** A mapping decides over the value, never over the format. Nobody goes by an empty name: it would be many people's. */
function nameIdFor(needs: TellNeeds, { provider, user, session, nameIdFormat }: Telling, mapped: MappedUser): NameId {
  const format = wantedFormat(provider, { nameIdFormat });
  const transient = () => transientIdOf(needs.key, session, provider.pk);
  const own = nameIdOf(format, user, { installId: needs.installId, transient });
  const value =
    provider.nameIdMapping === null
      ? own.value
      : (mapped.nameId ?? nameIdOf('', user, { installId: needs.installId, transient }).value);
  if (value.trim() === '')
    throw new SamlRefusal('nameId', 'The user has nothing that the service provider knows users by.');
  return { value, format };
}

/** Nobody is signed in by an attribute that another user has as well: the service provider would take the one for the other. */
async function checkOneUser(
  { installId, refusals }: TellNeeds,
  call: Call,
  { provider, user }: Telling,
  nameId: NameId,
): Promise<void> {
  const attribute = attributeOf(nameId.format);
  // What a mapping says is not the attribute; its author answers for it.
  if (attribute === undefined || provider.nameIdMapping !== null) return;
  const named = { user: user.pk, attribute, value: nameId.value, installId };
  if (!(await isAmbiguousName(call.db.read, named))) return;
  await refusals.ambiguousName(call, provider, user, attribute);
  throw new SamlRefusal('nameId', 'The service provider could not tell the user from others.');
}
