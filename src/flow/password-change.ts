import { sql } from 'kysely';
import { asObject } from '../lib/json.ts';
import { type Call, requireActor } from '../resource/call.ts';
import type { Row } from '../resource/fields/field.ts';
import type { Registry } from '../resource/resource.ts';
import { type ProgramWalkNeeds, walkForProgram } from './program-walk.ts';

/** Who changes their own password by a protocol that has no pages. */
export interface NewPassword {
  /** The current password; null if the program did not send it. */
  readonly current: string | null;
  readonly wanted: string;
  /** The flow by which programs sign the user in: the password stages bound to it say how passwords are changed. */
  readonly signInFlow: string | null;
}

export type PasswordChange =
  | { readonly outcome: 'changed' }
  /** The messages are for the user. */
  | { readonly outcome: 'refused'; readonly messages: readonly string[] };

const passwordModel = 'svc_stages_password.passwordstage';

/**
 * Changes the caller's password by the flow that the account page uses for it, with the policies of its prompts. It
 * ends the user's sessions.
 */
export async function changePassword(
  needs: ProgramWalkNeeds & { readonly registry: Registry },
  call: Call,
  given: NewPassword,
): Promise<PasswordChange> {
  const flow = await changeFlow(needs.registry, call, given.signInFlow);
  if (flow === null) return { outcome: 'refused', messages: ['Passwords are not changed here.'] };
  const user = requireActor(call).user.pk;
  const answer = (challenge: Row) => answerTo(challenge, given);
  const end = await walkForProgram(needs, call, { flow, user, query: {}, answer });
  return end.outcome === 'over' ? { outcome: 'changed' } : { outcome: 'refused', messages: end.complaints };
}

/** The flow that a password stage names for changes: first one of the flow that signs users in. */
async function changeFlow(registry: Registry, call: Call, signInFlow: string | null): Promise<string | null> {
  const stage = registry.require(passwordModel);
  const row = stage.row();
  const { rows } = await sql<{ slug: string }>`select f.slug from ${stage.from()}
    join flows f on f.pk = ${row.col('configure_flow')} and f.enabled
    order by case when exists (select 1 from flow_stage_bindings b join flows s on s.pk = b.target
      where s.slug = ${signInFlow} and b.stage = ${row.col('pk')}) then 0 else 1 end, ${row.col('name')}
    limit 1`.execute(call.db.read);
  return rows[0]?.slug ?? null;
}

/** Prompts for passwords take the new one; any other prompt needs a person. */
function answerTo(challenge: Row, { current, wanted }: NewPassword): Row | null {
  const { component } = challenge;
  if (component === 'xak-stage-password') return current === null ? null : { component, password: current };
  if (component !== 'xak-stage-prompt') return null;
  const fields = Array.isArray(challenge.fields) ? challenge.fields.map(asObject) : [];
  const asked = fields.filter(({ type }) => !['static', 'separator', 'hidden'].includes(String(type)));
  if (asked.length === 0 || asked.some(({ type }) => type !== 'password')) return null;
  return { component, ...Object.fromEntries(asked.map(({ field_key }) => [String(field_key), wanted])) };
}
