import { sql } from 'kysely';
import { topApplications } from '../../core/event/applications.ts';
import { chartOf } from '../../core/event/chart.ts';
import { sumIntervals } from '../../core/event/intervals.ts';
import { imageUrl } from '../../core/media/image-address.ts';
import { hourMs } from '../../lib/duration.ts';
import { addMilliseconds, fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import { visibleOrNone } from '../../resource/access/access.ts';
import { canonicalUuid, isUuid } from '../../resource/fields/scalar.ts';
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
  const faces = await readFaces(
    top.map(({ application }) => application?.pk),
    { call, registry },
  );
  return {
    top: top.map(({ application, ...counts }) => ({
      name: String(application?.name ?? ''),
      ...(faces.get(keyOf(application?.pk)) ?? { slug: '', icon: '' }),
      ...counts,
    })),
    isExact,
  };
}

/** Events may hold any text as the key of an application. */
const keyOf = (pk: unknown): string => (isUuid(pk) ? canonicalUuid(pk) : '');

/** Slugs and icons of applications by key, as far as the caller may see them. */
async function readFaces(pks: readonly unknown[], { call, registry }: Input) {
  const keys = pks.map(keyOf).filter(Boolean);
  const resource = registry.require('svc_core.application');
  const visible = await visibleOrNone(resource, call, registry);
  if (visible === 'none' || keys.length === 0) return new Map<string, { slug: string; icon: string }>();
  const row = resource.row();
  const isOfThese = sql`${row.col('pk')} in (${sql.join(keys)})${visible ? sql` and ${visible}` : sql``}`;
  const { rows } = await sql<{ pk: string; slug: string; icon: string | null }>`select ${row.col('pk')} as pk,
    ${row.col('slug')} as slug, ${row.col('meta_icon')} as icon from ${resource.from()} where ${isOfThese}`.execute(
    call.db.read,
  );
  const { publicHost } = call.world;
  return new Map(rows.map(({ pk, slug, icon }) => [pk, { slug, icon: imageUrl(icon, publicHost) ?? '' }]));
}
