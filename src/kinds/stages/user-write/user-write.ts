import { sql } from 'kysely';
import { actingAs, checkNotImpersonating } from '../../../core/access/impersonation-guard.ts';
import { recordEmailProof, recordEnteredEmail } from '../../../core/directory/email-proof.ts';
import { setPassword } from '../../../core/directory/set-password.ts';
import { usersIn } from '../../../core/directory/users.ts';
import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import {
  isOwnerProven,
  isProven,
  provenEmail,
  setCreatedUser,
  setPasswordTime,
} from '../../../flow/executor/flow-state.ts';
import {
  defineStageKind,
  deny,
  type Move,
  next,
  type StageKind,
  type Step,
} from '../../../flow/executor/stage-kind.ts';
import { changeEverywhere, type PasswordBackend } from '../../../flow/passwords/password-backend.ts';
import { deepMerge } from '../../../lib/deep-merge.ts';
import { asObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { isSameName } from '../../../lib/name-key.ts';
import { Problem } from '../../../lib/problem.ts';
import { message } from '../../../lib/texts/message.ts';
import type { Query } from '../../../platform/db/database.ts';
import { maxPasswordLength, type Passwords, PasswordTooLong } from '../../../platform/passwords.ts';
import { checkRecentlyAuthenticatedFor } from '../../../resource/access/recent-authentication.ts';
import type { Call } from '../../../resource/call.ts';
import type { Row } from '../../../resource/fields/field.ts';
import { selectOne } from '../../../resource/read/read.ts';
import type { RowOf } from '../../../resource/resource.ts';
import { createRow, updateRow } from '../../../resource/write/write-row.ts';
import { userValues } from './user-values.ts';
import { userWriteStage } from './user-write-stage.resource.ts';

type Settings = RowOf<typeof userWriteStage>;

interface UserWriteStageNeeds {
  readonly passwords: Passwords;
  readonly passwordBackends: readonly PasswordBackend[];
}

/** Creates or updates the flow's user from the prompt data, under the same rules as an API request. */
export function userWrite(needs: UserWriteStageNeeds): StageKind {
  return defineStageKind({
    resource: userWriteStage,
    component: 'xak-stage-user-write',
    roles: ({ user_creation_mode }) =>
      user_creation_mode === 'never_create'
        ? ['needs user', 'writes user']
        : ['identifies', 'writes user', 'creates user'],
    challenge: {},
    async show(step) {
      const { context, settings, pendingUser } = step;
      const mode = settings.user_creation_mode;
      const existing = mode === 'always_create' ? null : await pendingUser();
      if (existing ? !isWritable(existing, context) : mode === 'never_create') return deny(noUser);
      const { password, email } = context.prompt_data;
      const opensAccount =
        (typeof password === 'string' && password !== '') || (email ?? existing?.email) !== existing?.email;
      if (existing && opensAccount && !isOwnerProven(context)) {
        if (isProven(context) && typeof step.call.actor?.session !== 'string') return deny(notByAppPassword);
        checkRecentlyAuthenticatedFor(existing.pk, step.call);
      }
      const hash = await hashOf(needs.passwords, password);
      if (hash instanceof PasswordTooLong)
        return deny(message('A password has at most {max} characters.', { max: maxPasswordLength }));
      if (existing && hash !== null && typeof password === 'string') {
        checkNotImpersonating(step.call);
        const refusal = await changeEverywhere(needs.passwordBackends, existing.pk, password, step.call);
        if (refusal !== null) return deny(refusal);
      }
      return existing ? change(step, existing, hash) : create(step, hash);
    },
  });
}

const noUser = 'There is no user to update.';
const notByAppPassword = 'An app password cannot be used to change the password or address of the account.';

/** A user who was deactivated during the walk gets no new password. A new account may wait for activation. */
const isWritable = (
  { pk, is_active }: Pick<UserFacts, 'pk' | 'is_active'>,
  { created_user }: Step['context'],
): boolean => is_active || created_user === pk;

async function hashOf(passwords: Passwords, password: Json | undefined): Promise<string | null | PasswordTooLong> {
  if (typeof password !== 'string' || password === '') return null;
  try {
    return await passwords.hash(password);
  } catch (error) {
    if (error instanceof PasswordTooLong) return error;
    throw error;
  }
}

function create({ context, settings, engine, completeStages, walk }: Step<Settings>, hash: string | null): Move {
  return next(async (tx, call) => {
    const values = userValues(context.prompt_data, walk.plan);
    const group = settings.create_users_group;
    const users = usersIn(engine.registry);
    const { pk } = await createRow(
      { engine, resource: users, call: asSystem({ ...call, actor: null }), tx },
      {
        name: '',
        ...values,
        type: settings.user_type,
        is_active: !settings.create_users_as_inactive,
        groups: group === null ? [] : [group],
        ...pathOf(settings, context),
      },
    );
    if (hash !== null) await sql`update users set password = ${hash} where pk = ${pk}`.execute(tx);
    await stateWritten(tx, { context, user: pk, before: '', email: values.email, now: call.now });
    setCreatedUser(context, pk);
    await completeStages(tx, call);
    await recordWrite(tx, call, { pk, username: values.username, created: true, changed: Object.keys(values) });
  });
}

function change({ context, engine, walk }: Step<Settings>, user: UserFacts, hash: string | null): Move {
  return next(async (tx, flowCall) => {
    const call = provenBy(context, actingAs(flowCall, user));
    const users = usersIn(engine.registry);
    const found = await selectOne(
      { engine, resource: users, call, tx },
      [sql`${users.row().col('pk')} = ${user.pk}`],
      'write',
    );
    // Checked again under lock, since hashing a password takes a while (race condition).
    if (!found || !isWritable(found.values, context)) throw new Problem('permission_denied');
    const values = userValues(context.prompt_data, walk.plan);
    const attributes = deepMerge(withoutEmailProof(found.values, values), attributesOf(values));
    if (Object.keys(values).length > 0) {
      const body = { ...values, attributes };
      await updateRow({ engine, resource: users, call: asSystem(call), tx }, user.pk, found.values, body, 'patch');
      await stateWritten(tx, {
        context,
        user: user.pk,
        before: found.values.email,
        email: values.email,
        now: call.now,
      });
    }
    if (hash !== null) {
      await setPassword(tx, call, { pk: user.pk, username: user.username }, hash);
      // What was shown before stays true: the password is this walk's own.
      setPasswordTime(context, call.now);
    }
    const changed = Object.keys(values);
    await recordWrite(tx, call, { pk: user.pk, username: user.username, created: false, changed });
  });
}

interface WrittenEmail {
  readonly context: Step['context'];
  readonly user: number;
  readonly before: string;
  readonly email: Json | undefined;
  readonly now: string;
}

/**
 * An address counts if it was proven on this walk, or entered by an administrator. That other people entered it
 * themselves proves nothing.
 */
async function stateWritten(tx: Query, { context, user, before, email, now }: WrittenEmail): Promise<void> {
  if (typeof email !== 'string') return;
  const proven = provenEmail(context);
  if (proven && isSameName(proven.email, email)) return recordEmailProof(tx, proven, user, now);
  if (!isSameName(before, email)) await recordEnteredEmail(tx, email, user, now);
}

/** What a walk has proven counts as proof of its session. */
const provenBy = (context: Step['context'], call: Call): Call =>
  isOwnerProven(context) && call.actor ? { ...call, actor: { ...call.actor, provenAt: call.now } } : call;

const attributesOf = ({ attributes }: JsonObject): JsonObject => asObject(attributes);

/** That an address is verified is not true of another one. */
function withoutEmailProof(user: { readonly email: string; readonly attributes: JsonObject }, { email }: JsonObject) {
  const { email_verified: _, ...others } = user.attributes;
  return email === undefined || email === user.email ? user.attributes : others;
}

/** The stage's path wins, then the source's; users cannot choose their own. */
function pathOf({ user_path_template }: Settings, { source, prompt_data }: Step['context']): Row {
  if (user_path_template) return { path: user_path_template };
  return source && typeof prompt_data.path === 'string' ? { path: prompt_data.path } : {};
}

/** The stage records one event of its own instead of those of single writes. */
const asSystem = (call: Call): Call => ({ ...call, world: { ...call.world, record: async () => {} } });

function recordWrite(
  tx: Query,
  call: Call,
  { pk, username, created, changed }: { pk: unknown; username: unknown; created: boolean; changed: string[] },
): Promise<void> {
  const model = { app: 'svc_core', model_name: 'user', pk, name: username };
  return call.world.record(tx, call, {
    action: 'user_write',
    app: 'svc_stages_user_write',
    context: { model, created, changed },
  });
}
