import { sql } from 'kysely';
import type { Json } from '../../lib/json.ts';
import { Invalid } from '../../lib/problem.ts';
import type { UserText } from '../../lib/texts/message.ts';
import type { Actor } from '../../resource/access/actor.ts';
import { type Call, requireActor } from '../../resource/call.ts';

/** What access decisions need of an application. */
export interface ApplicationTarget {
  readonly pk: string;
  readonly mode: 'all' | 'any';
  /** A disabled application denies every user. */
  readonly isOn: boolean;
  /** What policies see of it. */
  readonly facts: Json;
}

export interface AccessResult {
  readonly passing: boolean;
  readonly messages: readonly UserText[];
  readonly logs: readonly {
    readonly level: 'info' | 'warning';
    readonly text: string;
    readonly attributes: Readonly<Record<string, string>>;
  }[];
  /** The target whose bindings are evaluated. */
  readonly deciders: readonly {
    readonly binding: string;
    readonly passing: boolean;
    readonly policy: string | null;
    readonly group: string | null;
    readonly user: number | null;
  }[];
}

/** The result for a disabled application. */
export const switchedOff: AccessResult = {
  passing: false,
  messages: ['The application is disabled.'],
  logs: [],
  deciders: [],
};

/**
 * Evaluates the policies bound to applications for a user. Side effects are for when the user uses one, not for a
 * `dryRun`.
 */
export type EvaluateAccess = (
  call: Call,
  userPk: number,
  applications: readonly ApplicationTarget[],
  options: { readonly dryRun: boolean },
) => Promise<ReadonlyMap<string, AccessResult>>;

/** The columns that `applicationTarget` reads. */
export interface ApplicationRow {
  readonly pk: string;
  readonly name: string;
  readonly slug: string;
  readonly group: string;
  readonly policy_engine_mode: 'all' | 'any';
  readonly enabled: boolean;
}

export const applicationTarget = ({
  pk,
  name,
  slug,
  group,
  policy_engine_mode,
  enabled,
}: ApplicationRow): ApplicationTarget => ({
  pk,
  mode: policy_engine_mode,
  isOn: Boolean(enabled),
  facts: { pk, name, slug, group, meta_model_name: 'svc_core.application' },
});

const otherUsers = 'svc_core.view_user_applications';

/** The user whose access is requested: the caller, or the user in `for_user` if the caller may view them. */
export async function requestedUser(call: Call): Promise<number> {
  const actor = requireActor(call);
  const text = call.request.query.get('for_user');
  if (text === null || text === '') return actor.user.pk;
  if (!/^\d+$/.test(text)) throw Invalid.field('for_user', 'for_user must be numerical');
  const pk = Number(text);
  if (pk <= 2147483647 && (await canCheckAccess(actor, pk, call))) return pk;
  // A user whom the caller may not view does not exist for them.
  throw Invalid.field('for_user', 'User not found');
}

async function canCheckAccess(actor: Actor, pk: number, call: Call): Promise<boolean> {
  const held = actor.holds(otherUsers) ? sql`` : sql` and u.pk in (${actor.objectsHolding(otherUsers, 'int')})`;
  const { rows } = await sql`select 1 from users u where u.pk = ${pk}${held}`.execute(call.db.read);
  return rows.length > 0;
}
