import { sql } from 'kysely';
import { parsePlanCookies } from '../../src/flow/attempt.ts';
import { type FlowPlan, planContext } from '../../src/flow/plan.ts';
import type { Query } from '../../src/platform/db/database.ts';
import type { InstanceKey } from '../../src/platform/keys.ts';

/** The unexpired plan of a token for the flow with this slug, if its walk has not begun. */
export async function findPlan(
  query: Query,
  key: InstanceKey,
  token: string,
  flow: string,
  now: string,
): Promise<FlowPlan | null> {
  const hash = key.hash(token);
  const { rows } = await sql<{
    context: string;
    flow: string;
  }>`select p.context, p.flow from flow_plans p join flows f on f.pk = p.flow
    where p.token_hash = ${hash} and f.slug = ${flow} and p.version = 1 and p.expires > ${now}`.execute(query);
  const row = rows[0];
  return row ? JSON.parse(key.box.open(row.context, planContext(hash, row.flow))) : null;
}

/** The token of the plan that was begun last with these cookies; '' if there is none. */
export function planTokenIn(cookies: ReadonlyMap<string, string>): string {
  const [shared, newest = shared] = parsePlanCookies(Object.fromEntries(cookies), 'http://localhost').toSorted(
    (one, other) => (one.attempt === '' ? -1 : other.usedAt - one.usedAt),
  );
  return newest?.token ?? '';
}
