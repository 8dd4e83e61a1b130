import { isAmbiguousName } from '../../../../core/directory/known-by-attribute.ts';
import type { UserFacts } from '../../../../core/mapping/user-facts.ts';
import type { Call } from '../../../../resource/call.ts';
import { type MappedUser, mapUser } from '../attributes.ts';
import type { SamlDependencies } from '../dependencies.ts';
import { transientIdOf } from '../logins.ts';
import { attributeOf, type NameId, nameIdOf } from '../name-id.ts';
import type { ServiceProvider } from '../service-provider.ts';
import type { PendingRequest } from './pending-request.ts';
import { SsoError } from './sso-error.ts';
import { wantedFormat } from './wanted-format.ts';

export type SubjectDependencies = Pick<
  SamlDependencies,
  'key' | 'publicUrl' | 'installId' | 'sandbox' | 'keyOf' | 'refusals'
>;

interface SubjectRequest extends Pick<PendingRequest, 'nameIdFormat'> {
  readonly provider: ServiceProvider;
  readonly user: UserFacts;
  readonly session: string;
}

/** The NameID and the attributes of a user. Throws `SsoError` if the NameID is empty or ambiguous. */
export async function buildSubject(
  needs: SubjectDependencies,
  call: Call,
  request: SubjectRequest,
): Promise<{ readonly nameId: NameId; readonly mapped: MappedUser }> {
  const mapped = mappedUser(needs, request);
  const nameId = nameIdFor(needs, request, mapped);
  await checkUniqueNameId(needs, call, request, nameId);
  return { nameId, mapped };
}

/** The mapped attributes of a user, cached until user or mappings change. */
function mappedUser({ sandbox }: SubjectDependencies, { provider, user }: SubjectRequest): MappedUser {
  const known = provider.mappedUsers.get(user);
  if (known) return known;
  const mapped = mapUser(sandbox, provider, user);
  if (mapped.isLasting) provider.mappedUsers.set(user, mapped);
  return mapped;
}

/** A mapping sets the value, never the format. Reject an empty NameID: it would match several users. */
function nameIdFor(
  needs: SubjectDependencies,
  { provider, user, session, nameIdFormat }: SubjectRequest,
  mapped: MappedUser,
): NameId {
  const format = wantedFormat(provider, { nameIdFormat });
  const transient = () => transientIdOf(needs.key, session, provider.pk);
  const own = nameIdOf(format, user, { installId: needs.installId, transient });
  const value =
    provider.nameIdMapping === null
      ? own.value
      : (mapped.nameId ?? nameIdOf('', user, { installId: needs.installId, transient }).value);
  if (value.trim() === '') throw new SsoError('nameId', 'The user has no value for the NameID.');
  return { value, format };
}

/** Reject a NameID that another user has as well: the service provider would confuse the two. */
async function checkUniqueNameId(
  { installId, refusals }: SubjectDependencies,
  call: Call,
  { provider, user }: SubjectRequest,
  nameId: NameId,
): Promise<void> {
  const attribute = attributeOf(nameId.format);
  // Mapped values are not checked: their author is responsible for them.
  if (attribute === undefined || provider.nameIdMapping !== null) return;
  const named = { user: user.pk, attribute, value: nameId.value, installId };
  if (!(await isAmbiguousName(call.db.read, named))) return;
  await refusals.ambiguousName(call, provider, user, attribute);
  throw new SsoError('nameId', 'The NameID of the user is not unique.');
}
