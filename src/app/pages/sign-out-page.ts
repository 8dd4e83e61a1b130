import { sql } from 'kysely';
import { pageFrame } from '../../core/brand/language.ts';
import { isFromOwnPage } from '../../core/session/own-origin.ts';
import { planOfPage } from '../../flow/attempt.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { plainPage } from '../../platform/http/plain-page.ts';
import type { RequestFacts } from '../../platform/http/request-facts.ts';
import type { HttpAnswer } from '../../platform/http/routes.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import type { Actor } from '../../resource/actor.ts';

interface Needs {
  readonly clock: Clock;
  readonly db: Database;
  readonly key: Pick<InstanceKey, 'hash'>;
  readonly publicUrl: string;
}

/** Asks people whom a page of another site has led to a flow that signs out. Null if they have not been led there. */
export async function confirmSignOut(
  { clock, db, key, publicUrl }: Needs,
  request: RequestFacts,
  actor: Actor,
  flow: string,
): Promise<HttpAnswer | null> {
  if (isFromOwnPage(request)) return null;
  // An application that may wish it has had the walk begun.
  const plan = planOfPage(request.cookies, publicUrl, request.query);
  if (plan && (await isUnderWay(db, key.hash(plan.token), flow, clock.now()))) return null;
  const { path, query } = request;
  return plainPage({
    ...(await pageFrame({ actor, request, db })),
    title: 'Do you want to sign out?',
    paragraphs: ['You will be signed out of everything that you have signed in to from here.'],
    link: { to: query.size === 0 ? path : `${path}?${query}`, text: 'Sign out' },
  });
}

async function isUnderWay({ read }: Database, tokenHash: string, flow: string, now: string): Promise<boolean> {
  const { rows } = await sql`select 1 from flow_plans p join flows f on f.pk = p.flow
    where p.token_hash = ${tokenHash} and f.slug = ${flow} and p.expires > ${now}`.execute(read);
  return rows.length > 0;
}
