import { type RawBuilder, sql } from 'kysely';
import { actingAs } from '../../core/access/impersonation-guard.ts';
import {
  type ApplicationRow,
  type ApplicationTarget,
  applicationTarget,
} from '../../core/application/application-access.ts';
import type { UserFacts } from '../../core/mapping/user-facts.ts';
import type { Query } from '../../platform/db/database.ts';
import type { Call } from '../../resource/call.ts';
import type { ServerNeeds } from './server-needs.ts';

/** The key of the application that a provider serves, behind the scenes before as its main provider. */
export const servedApplicationSql = (provider: RawBuilder<unknown>): RawBuilder<unknown> => sql`coalesce(
  (select a.pk from application_backchannel_providers ab join applications a on a.pk = ab.application
    where ab.provider = ${provider} order by a.slug limit 1),
  (select a.pk from applications a where a.provider = ${provider}))`;

export type ServedApplication = ApplicationTarget & { readonly name: string; readonly slug: string };

/** What access decisions need of the application that a provider serves; null if it serves none. */
export async function servedApplication(query: Query, provider: number): Promise<ServedApplication | null> {
  const { rows } = await sql<ApplicationRow>`select a.pk, a.name, a.slug, a."group", a.policy_engine_mode, a.enabled
    from applications a where a.pk = ${servedApplicationSql(sql`${provider}`)}`.execute(query);
  const [row] = rows;
  return row ? { ...applicationTarget(row), name: row.name, slug: row.slug } : null;
}

/** The application that a provider serves, and what its policies decide about a user; null if it serves none. */
async function decide(
  { evaluateAccess }: Pick<ServerNeeds, 'evaluateAccess'>,
  call: Call,
  provider: number,
  user: number,
) {
  const application = await servedApplication(call.db.read, provider);
  if (!application) return null;
  const answers = await evaluateAccess(call, user, [application], { dryRun: false });
  return { application, answer: answers.get(application.pk) };
}

/** Whether the policies of the application of a provider let a user in. */
export async function mayUse(
  needs: Pick<ServerNeeds, 'evaluateAccess'>,
  call: Call,
  provider: number,
  user: number,
): Promise<boolean> {
  return (await decide(needs, call, provider, user))?.answer?.passing === true;
}

/** Whether the policies of the application of a provider let in a user who signs in. Records that they do not. */
export async function admits(
  needs: Pick<ServerNeeds, 'evaluateAccess' | 'denied'>,
  call: Call,
  provider: number,
  user: UserFacts,
): Promise<boolean> {
  const decision = await decide(needs, call, provider, user.pk);
  if (!decision) return false;
  const { application, answer } = decision;
  if (answer?.passing === true) return true;
  await needs.denied(actingAs(call, user), { pk: provider, application }, answer);
  return false;
}

/** Whether an app password (as `t`) opens the application of a provider. */
export const isForProvider = (provider: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(t.application is null or t.application = ${servedApplicationSql(provider)})`;
