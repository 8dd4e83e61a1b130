import { sql } from 'kysely';
import { topApplications } from '../../core/event/applications.ts';
import { chartOf } from '../../core/event/chart.ts';
import { sumIntervals } from '../../core/event/intervals.ts';
import { hourMs } from '../../lib/duration.ts';
import { addMilliseconds, fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import { visibleOrNone } from '../../resource/access/access.ts';
import type { ActionInput } from '../../resource/resource.ts';

const hours = 7 * 24;
const maxApplications = 5;
const series = { logins: 'login', logins_failed: 'login_failed', authorizations: 'authorize_application' } as const;

type Input = Pick<ActionInput, 'call' | 'registry'>;

/** Sign-ins, failures and authorizations of the last week by hour; no week if the caller may see no events. */
export async function hoursOfAWeek({ call, registry }: Input) {
  const visible = await visibleOrNone(registry.require('svc_events.event'), call, registry);
  if (visible === 'none') return { week: null, isExact: true };
  const end = Math.floor(fromTimestamp(call.now).getTime() / hourMs) * hourMs + hourMs;
  const start = end - hours * hourMs;
  const isShown = sql`t.action in (${sql.join(Object.values(series))})`;
  const counting = {
    span: { since: toTimestamp(start), before: toTimestamp(end) },
    conditions: visible ? [isShown, visible] : [isShown],
    isRolledUp: !visible,
  };
  const { rows, isExact } = await chartOf(call, counting, 'hour');
  const intervals = { start, intervalMs: hourMs, count: hours };
  const named = Object.entries(series).map(([name, action]) => [
    name,
    sumIntervals(
      rows.filter((row) => row.action === action),
      intervals,
    ),
  ]);
  return { week: { start: toTimestamp(start), ...Object.fromEntries(named) }, isExact };
}

/** The applications that people signed in to most in the last week. */
export async function topOfAWeek({ call, registry }: Input) {
  const visible = await visibleOrNone(registry.require('svc_events.event'), call, registry);
  if (visible === 'none') return { top: [], isExact: true };
  const span = { since: addMilliseconds(call.now, -hours * hourMs), before: addMilliseconds(call.now, hourMs) };
  const shown = { action: series.authorizations, where: visible, limit: maxApplications, span };
  const { top, isExact } = await topApplications(call, shown);
  return {
    top: top.map(({ application, ...counts }) => ({ name: String(application?.name ?? ''), ...counts })),
    isExact,
  };
}
