import { message } from '../../lib/texts/message.ts';
import type { Call, NewEvent } from '../../resource/call.ts';

const everyMs = 60_000;
/** The maximum number of names in one summary. */
const maxNames = 20;
const maxActions = 50;

interface Dropped {
  count: number;
  readonly since: string;
  readonly networks: Set<string>;
  readonly usernames: Set<string>;
}

export interface EventSummary {
  /**
   * Counts an event beyond the quota of anonymous callers. Returns the event that sums up the last ones, if one is due.
   */
  summaryAfter(call: Pick<Call, 'now' | 'request'>, dropped: NewEvent | null): NewEvent | null;
}

/** Counts events that are not recorded one by one. The first is summarized at once, then those of each minute. */
export function createEventSummary(): EventSummary {
  const byAction = new Map<string, Dropped>();
  let lastAt = Number.NEGATIVE_INFINITY;

  function count(call: Pick<Call, 'now' | 'request'>, { action, context }: NewEvent): void {
    const name = byAction.has(action) || byAction.size < maxActions ? action : 'other';
    const dropped = byAction.get(name) ?? { count: 0, since: call.now, networks: new Set(), usernames: new Set() };
    byAction.set(name, dropped);
    dropped.count += 1;
    if (dropped.networks.size < maxNames) dropped.networks.add(call.request.clientIp);
    const username = context?.username;
    if (typeof username === 'string' && dropped.usernames.size < maxNames)
      dropped.usernames.add(username.slice(0, 150));
  }

  return {
    summaryAfter(call, event) {
      if (event) count(call, event);
      const at = Date.parse(call.now);
      if (byAction.size === 0 || Math.abs(at - lastAt) < everyMs) return null;
      lastAt = at;
      const actions = [...byAction].map(([action, { networks, usernames, ...rest }]) => ({
        action,
        ...rest,
        addresses: [...networks],
        usernames: [...usernames],
      }));
      byAction.clear();
      const total = actions.reduce((sum, { count }) => sum + count, 0);
      return {
        action: 'suspicious_request',
        app: 'svc_events',
        context: {
          message: message(
            'Events of anonymous requests beyond their quota, which are not recorded one by one: {total}',
            { total },
          ),
          summary: actions,
        },
      };
    },
  };
}
