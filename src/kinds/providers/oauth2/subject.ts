import { isAmbiguousName, type NamingAttribute } from '../../../core/directory/known-by-attribute.ts';
import { findByName } from '../../../core/directory/name-keys.ts';
import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import type { Call } from '../../../resource/call.ts';
import { type SubMode, subjectOf } from './claims.ts';
import type { Client } from './client.ts';
import type { OAuthDependencies } from './dependencies.ts';
import { OAuthError } from './oauth-error.ts';

const sharedBy: ReadonlyMap<SubMode, NamingAttribute> = new Map([
  ['user_upn', 'upn'],
  ['user_email', 'email'],
]);

/** OpenID Connect Core §2 */
const maxSubjectLength = 255;

/**
 * Who a token is about, as `subjectOf` has it. Nothing is issued for a subject that another user has as well: the
 * client would take the one for the other. Names are unique; a `upn` is an attribute that several users can have, and
 * users may share an address.
 */
export async function uniqueSubject(
  { installId, refusals }: Pick<OAuthDependencies, 'installId' | 'refusals'>,
  call: Call,
  client: Client,
  user: UserFacts,
): Promise<string> {
  const subject = subjectOf(client.sub_mode, user, installId);
  const attribute = sharedBy.get(client.sub_mode);
  if (attribute === undefined) return subject;
  const named = { user: user.pk, attribute, value: subject, installId };
  if (subject.length <= maxSubjectLength && !(await isAmbiguousName(call.db.read, named))) return subject;
  await refusals.sharedSubject(call, client, user);
  throw new OAuthError('access_denied', 'The subject identifier of the user is not unique.');
}

/**
 * Refuses a subject of earlier tokens that another user has now: the client would take the one for the other. Names,
 * addresses and the attribute `upn` change hands.
 */
export async function checkSubjectOwner(
  { installId }: Pick<OAuthDependencies, 'installId'>,
  { db }: Call,
  { pk: user }: UserFacts,
  subject: string,
): Promise<void> {
  const named = await findByName(db.read, subject, ['username', 'email']);
  const isTaken =
    named.some(({ pk }) => pk !== user) ||
    (await isAmbiguousName(db.read, { user, attribute: 'upn', value: subject, installId }));
  if (isTaken) throw new OAuthError('invalid_grant', 'The subject of the refresh token now belongs to another user.');
}
