import { sql } from 'kysely';
import { isAmbiguousName } from '../../../core/directory/known-by-attribute.ts';
import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import type { Call } from '../../../resource/call.ts';
import { subjectOf } from './claims.ts';
import type { Client } from './client.ts';
import type { OAuthNeeds } from './needs.ts';
import { OAuthError } from './oauth-error.ts';

/** OpenID Connect Core §2 */
const maxSubjectLength = 255;

/**
 * Who a token is about, as `subjectOf` has it. Nothing is issued for a subject that another user has as well: the client would
 * take the one for the other. Names and addresses are unique; a `upn` is an attribute that several users can have.
 */
export async function uniqueSubject(
  { installId, refusals }: Pick<OAuthNeeds, 'installId' | 'refusals'>,
  call: Call,
  client: Client,
  user: UserFacts,
): Promise<string> {
  const subject = subjectOf(client.sub_mode, user, installId);
  if (client.sub_mode !== 'user_upn') return subject;
  const named = { user: user.pk, attribute: 'upn', value: subject, installId } as const;
  if (subject.length <= maxSubjectLength && !(await isAmbiguousName(call.db.read, named))) return subject;
  await refusals.sharedSubject(call, client, user);
  throw new OAuthError('access_denied', 'The client could not tell the user from others.');
}

/**
 * Refuses a subject of earlier tokens that another user has now: the client would take the one for the other. Names, addresses and
 * the attribute `upn` change hands.
 */
export async function checkKeptSubject(
  { installId }: Pick<OAuthNeeds, 'installId'>,
  { db }: Call,
  { pk: user }: UserFacts,
  subject: string,
): Promise<void> {
  const { rows } = await sql`select 1 from users where lower(username) = lower(${subject}) and pk <> ${user}
    union all select 1 from users where lower(email) = lower(${subject}) and email <> '' and pk <> ${user}`.execute(
    db.read,
  );
  const isTaken =
    rows.length > 0 || (await isAmbiguousName(db.read, { user, attribute: 'upn', value: subject, installId }));
  if (isTaken) throw new OAuthError('invalid_grant', 'The subject of the refresh token belongs to another user now.');
}
