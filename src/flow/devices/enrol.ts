import { sql } from 'kysely';
import { actingAs } from '../../core/access/impersonation-guard.ts';
import type { UserFacts } from '../../core/mapping/user-facts.ts';
import type { UserText } from '../../lib/texts/message.ts';
import type { Query } from '../../platform/db/database.ts';
import { checkRecentlyAuthenticated } from '../../resource/access/recent-authentication.ts';
import type { Row } from '../../resource/fields/field.ts';
import { diffOf, recordWrite } from '../../resource/write/audit.ts';
import { insertRow } from '../../resource/write/write-row.ts';
import { isOwnerProven } from '../executor/flow-state.ts';
import { type Move, next, type Step } from '../executor/stage-kind.ts';
import type { DeviceResources } from './device.family.ts';
import type { Device } from './device-kind.ts';

const began = 'recently_authenticated';

/** The note that lists devices enrolled on this walk. */
const enrolled = 'enrolled_devices';

export type Enrollee = { readonly user: UserFacts } | { readonly refusal: UserText };

/**
 * The user of the flow, if they may enrol a device. They must be authenticated: by a session, a source, their password,
 * or as an account created on this walk. With devices but no session they must prove one first; otherwise the password
 * alone would suffice to add a second factor.
 */
export async function findEnrollee(step: Step): Promise<Enrollee> {
  const { call, context, pendingUser } = step;
  const user = await pendingUser();
  const isNew = user !== null && context.created_user === user.pk;
  if (!user?.is_active && !isNew) return { refusal: 'There is no user to set this up for.' };
  // Revoking a token would not remove a device that it enrolled.
  if (call.actor && call.actor.session === null) return { refusal: 'This cannot be set up with a token.' };
  if (call.actor?.user.pk === user.pk) {
    checkProvenFor(step);
    return { user };
  }
  const byPassword = context.auth_method !== null && context.auth_method !== 'app_password';
  const isProven = isNew || byPassword || context.is_sso;
  if (!isProven) return { refusal: 'Sign in before you set this up.' };
  const hasShown = context.mfa_devices.length > 0 || enrolledDevices(context).length > 0;
  if (!hasShown && (await hasDevices(call.db.read, user.pk)))
    return { refusal: 'Sign in with the device that you have before you set up another.' };
  return { user };
}

/** Setting up a device may take longer than a proof is recent: it counts from when the step began. */
function checkProvenFor({ call, context, memory }: Step): void {
  if (memory[began] === true || isOwnerProven(context)) return;
  checkRecentlyAuthenticated(call);
  memory[began] = true;
}

/** Whether the user has any device that is in use. */
async function hasDevices(query: Query, user: number): Promise<boolean> {
  const { rows } = await sql`select 1 from devices where "user" = ${user} and confirmed limit 1`.execute(query);
  return rows.length > 0;
}

/** Continues with a new device of the user, stored and recorded with the move. `after` stores what belongs to it. */
export function enrol(
  { context }: Pick<Step, 'context'>,
  { own }: DeviceResources<Device>,
  user: UserFacts,
  values: Row,
  after?: (tx: Query, pk: number) => Promise<void>,
): Move {
  return next(async (tx, flowCall) => {
    const call = actingAs(flowCall, user);
    const { now } = call;
    const row: Row = { last_used: null, ...values, user: user.pk, confirmed: true, created: now, last_updated: now };
    const pk = await insertRow(own, row, call, tx);
    await after?.(tx, pk);
    await recordWrite('model_created', { resource: own, pk, values: row, diff: diffOf(own, null, row), call, tx });
    context.user_notes[enrolled] = [...enrolledDevices(context), pk];
  });
}

/** Keys of the devices enrolled on this walk. */
export const enrolledDevices = (context: Step['context']): number[] => deviceKeysIn(context, enrolled);

/** Keys of devices that a note about the user lists. */
export function deviceKeysIn({ user_notes }: Step['context'], note: string): number[] {
  const keys = user_notes[note];
  return Array.isArray(keys) ? keys.filter((key) => typeof key === 'number') : [];
}
