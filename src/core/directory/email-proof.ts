import { type RawBuilder, sql } from 'kysely';
import { isSameName } from '../../lib/name-key.ts';
import type { Query } from '../../platform/db/database.ts';
import { type Field, hidden, type RowAlias } from '../../resource/fields/field.ts';
import { boolean, time } from '../../resource/fields/scalar.ts';
import { choice, text } from '../../resource/fields/text.ts';

/**
 * How an address was verified: by an administrator, a mailed link, a mailed invitation, the user's source or SCIM
 * client. `user`: entered by users themselves, which verifies nothing.
 */
export const proofMethods = ['administrator', 'mail', 'invitation', 'source', 'scim', 'user'] as const;
export type ProofMethod = (typeof proofMethods)[number];

/** An address that was verified during a walk, and how. */
export type ProvenEmail = { readonly email: string; readonly by: ProofMethod };

/**
 * A verification applies to the address that was verified. When the address changes, however it is written, the
 * verification is lost.
 */
const ofAddress = (row: RowAlias, name: string): RawBuilder<unknown> =>
  sql`case when ${row.col('verified_email')} = ${row.col('email')} then ${row.col(name)} end`;

/** Whether the address of `users u` is verified; null if unknown. */
export const isEmailVerifiedSql = sql<boolean | null>`case when u.verified_email = u.email then u.email_verified end`;

function verificationField<T>(field: Field<T>, name: string): Field<T> {
  if (field.storage.in !== 'column') return field;
  return {
    ...field,
    orderable: false,
    notNested: true,
    storage: { ...field.storage, shownAs: (row) => ofAddress(row, name) },
  };
}

const verified = boolean({
  default: false,
  label: 'Email verified',
  help: 'Whether the address is known to be that of the user. Applications and sources rely on it; another address begins unverified.',
});

export const emailProofFields = {
  email_verified: {
    ...verificationField(verified, 'email_verified'),
    fromColumn: (raw: unknown) => raw === true || raw === 1,
  } satisfies Field<boolean>,
  email_verified_at: verificationField(
    time({ readOnly: true, nullable: true, default: null, help: 'When the address was verified.' }),
    'email_verified_at',
  ),
  email_verified_by: verificationField(
    choice(proofMethods, { readOnly: true, nullable: true, default: null, help: 'How the address was verified.' }),
    'email_verified_by',
  ),
  verified_email: text({ ...hidden, internal: true, nullable: true, default: null }),
};

interface EmailProof {
  readonly user: number;
  readonly email: string;
  readonly isVerified: boolean;
  readonly by: ProofMethod;
  readonly now: string;
}

/** Records that users entered an address themselves. One that their rights as administrators verify stays verified. */
export const recordEnteredEmail = (tx: Query, email: string, user: number, now: string): Promise<void> =>
  storeVerification(tx, { user, email, isVerified: false, by: 'user', now });

/** Replaces the verification of an address, unless it is verified. */
async function storeVerification(tx: Query, { user, email, isVerified, by, now }: EmailProof): Promise<void> {
  await sql`update users as u set verified_email = u.email, email_verified = ${isVerified}, email_verified_at = ${now},
    email_verified_by = ${by} where u.pk = ${user} and u.email = ${email} and u.email <> ''
    and not coalesce(${isEmailVerifiedSql}, ${false})`.execute(tx);
}

/** Records that a user has proven an address, if it is still theirs and was not verified before. */
export async function recordEmailProof(
  tx: Query,
  { email, by }: ProvenEmail,
  user: number,
  now: string,
): Promise<void> {
  const { rows } = await sql<{ email: string }>`select email from users where pk = ${user}`.execute(tx);
  const [found] = rows;
  if (!found || !isSameName(found.email, email)) return;
  await storeVerification(tx, { user, email: found.email, isVerified: true, by, now });
}

/** The columns of a statement, or of none. */
export const verificationColumns = (proof: Omit<EmailProof, 'user'> | null) => ({
  verified_email: proof?.email ?? null,
  email_verified: proof?.isVerified ?? false,
  email_verified_at: proof?.now ?? null,
  email_verified_by: proof?.by ?? null,
});
