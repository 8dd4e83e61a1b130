import { sql } from 'kysely';
import type { PolicyKind } from '../../../policy/kind.ts';
import { reputationPolicy } from './reputation.resource.ts';

/** Passes when the reputation is bad: it is bound where bad reputation is to be met with more questions. */
export const reputation: PolicyKind = {
  resource: reputationPolicy,
  async evaluate({ check_ip, check_username, threshold }, { user, clientIp, now }, query) {
    const matches = [
      ...(check_ip ? [sql`ip = ${clientIp}`] : []),
      ...(check_username && user ? [sql`identifier = ${user.username}`] : []),
    ];
    if (matches.length === 0) return verdict(0, Number(threshold));
    const { rows } = await sql<{
      score: number | string | null;
    }>`select sum(score) as score from policy_reputation_scores
      where (${sql.join(matches, sql` or `)}) and expires > ${now}`.execute(query);
    return verdict(Number(rows[0]?.score ?? 0), Number(threshold));
  },
};

const verdict = (score: number, threshold: number) => ({
  passing: score <= threshold,
  messages: [],
  logs: [`The score is ${score}, the threshold ${threshold}.`],
});
