import { sql } from 'kysely';
import { expired } from '../../../core/cleanup/cleanup.jobs.ts';
import type { Geo } from '../../../platform/geo/geo.ts';
import { definePolicyKind, type PolicyKind } from '../../../policy/kind.ts';
import { reputationPolicy } from './reputation.resource.ts';
import { reputationScores } from './score.resource.ts';
import { changeScore } from './score.ts';

/** Passes if the reputation is bad: bind it to stages that suspicious visitors must pass in addition. */
export const reputation = ({ geo }: { readonly geo: Geo }): PolicyKind =>
  definePolicyKind({
    resource: reputationPolicy,
    resources: [reputationScores],
    expiring: [expired('policy_reputation_scores', 'reputation scores')],
    // Attempts are rate-limited; for many networks, the rows that expire first are evicted.
    anonymousLimits: { policy_reputation_scores: { ofNetwork: Number.POSITIVE_INFINITY, inAll: 200_000 } },
    async demo({ api, once, now }) {
      const values = { check_ip: true, threshold: -5 };
      await api.ensure('/policies/reputation/', { name: 'Demo: nobody who guesses' }, values);
      const guess = { identifier: 'demo-ada', ip: '192.0.2.66' };
      await once('policy_reputation_scores', guess, (tx) => changeScore(tx, geo, { ...guess, by: -1, now }));
    },
    async noteAttempt(tx, attempt, { world }) {
      await world.evictOldest('policy_reputation_scores', tx);
      await changeScore(tx, geo, attempt);
    },
    async evaluate({ check_ip, check_username, threshold }, { user, context, clientIp, now }, query) {
      // Unknown names count, too: otherwise a stage that depends on it would reveal who has an account (user
      // enumeration).
      const name = user?.username ?? context.pending_user_identifier;
      const matches = [
        ...(check_ip ? [sql`ip = ${clientIp}`] : []),
        ...(check_username && typeof name === 'string' ? [sql`identifier = ${name}`] : []),
      ];
      if (matches.length === 0) return verdict(0, threshold);
      const { rows } = await sql<{
        score: number | string | null;
      }>`select sum(score) as score from policy_reputation_scores
      where (${sql.join(matches, sql` or `)}) and expires > ${now}`.execute(query);
      return verdict(Number(rows[0]?.score ?? 0), threshold);
    },
  });

const verdict = (score: number, threshold: number) => ({
  passing: score <= threshold,
  messages: [],
  logs: [`The score is ${score}, the threshold ${threshold}.`],
});
