import type { Kind } from '../core/kind/kind.ts';
import type { AnonymousLimits } from '../platform/limits/anonymous-quota.ts';

const ownLimits: AnonymousLimits = {
  // Walks of one network are limited where they are stored, by evicting the oldest.
  flow_plans: { ofNetwork: Number.POSITIVE_INFINITY, ofSite: 20_000, inAll: 100_000 },
  // Each may be as large as an answer to a stage, and prompts accept files.
  large_flow_plans: { table: 'flow_plans', ofNetwork: 100, inAll: 1_000, where: 'octet_length(context) > 65536' },
  flow_links: { ofNetwork: Number.POSITIVE_INFINITY, inAll: 100_000 },
  events: { ofNetwork: 1_000, inAll: 500_000, where: 'user_pk is null' },
  // Attempts of one network are rate-limited; for many networks, the rows that expire first are evicted.
  sign_in_attempts: { ofNetwork: Number.POSITIVE_INFINITY, inAll: 200_000 },
};

/** What anonymous calls may make this server store. */
export const anonymousLimitsOf = (kinds: readonly Kind[]): AnonymousLimits =>
  Object.assign({}, ownLimits, ...kinds.map(({ anonymousLimits = {} }) => anonymousLimits));
