import { sql } from 'kysely';
import { actingAs, checkNotImpersonating } from '../../../core/access/impersonation-guard.ts';
import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import { geoBindings, networkBindings } from '../../../core/session/binding.ts';
import {
  endSession,
  endSessions,
  renewSession,
  type SessionFacts,
  startSession,
} from '../../../core/session/session.ts';
import { sessionCookies } from '../../../core/session/session-cookies.ts';
import { isOwnerProven, isProven } from '../../../flow/executor/flow-state.ts';
import { pendingUserMembers, pendingUserSchemas } from '../../../flow/executor/pending-user.ts';
import { ask, defineStageKind, deny, type Move, type StageKind, type Step } from '../../../flow/executor/stage-kind.ts';
import { methodReferences } from '../../../flow/method-references.ts';
import { defineStage } from '../../../flow/stage.family.ts';
import { parseDuration } from '../../../lib/duration.ts';
import { Problem } from '../../../lib/problem.ts';
import type { Query } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/statement.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { boolean, duration } from '../../../resource/fields/scalar.ts';
import { choice } from '../../../resource/fields/text.ts';
import type { RowOf } from '../../../resource/resource.ts';

type Settings = RowOf<typeof userLoginStage>;

const userLoginStage = defineStage({
  path: '/stages/user_login/',
  model: 'svc_stages_user_login.userloginstage',
  schema: 'UserLoginStage',
  names: ['User Login Stage', 'User Login Stages'],
  component: 'xak-stage-user-login-form',
  description: 'Signs the user of the flow in.',
  table: 'stage_user_login',
  fields: {
    session_duration: duration({
      default: 'seconds=0',
      filter: true,
      help: 'How long a session lasts; with no length it ends with the browser, after a day without use, or after a month.',
    }),
    terminate_other_sessions: boolean({
      default: false,
      filter: true,
      help: 'End all other sessions of the user.',
      isObvious: true,
    }),
    remember_me_offset: duration({
      default: 'seconds=0',
      filter: true,
      help: 'How much longer a session lasts for people who choose to be remembered; with zero the choice is not offered.',
    }),
    network_binding: choice(networkBindings, {
      default: 'no_binding',
      labels: {
        bind_asn: 'Same autonomous system',
        bind_asn_network: 'Same autonomous system and network',
        bind_asn_network_ip: 'Same autonomous system, network and IP address',
      },
      filter: true,
      help: 'How tightly a session is bound to its network. If the network is unknown, the session ends.',
    }),
    geoip_binding: choice(geoBindings, {
      default: 'no_binding',
      labels: {
        bind_continent: 'Same continent',
        bind_continent_country: 'Same continent and country',
        bind_continent_country_city: 'Same continent, country and city',
      },
      filter: true,
      help: 'How tightly a session is bound to its location. If the location is unknown, the session ends.',
    }),
  },
});

interface Dependencies {
  readonly key: InstanceKey;
  readonly isSecure: boolean;
}

const dayMs = 86_400_000;
/** For sessions that end with the browser: some browsers restore them. */
const untilBrowserEnds = { lifetimeMs: 30 * dayMs, idleMs: dayMs };
const denied = 'You cannot sign in.';

/**
 * Creates a session for the flow's user. Only the link of a first start (`app/first-login-link.ts`) gives sessions to
 * browsers without it.
 */
export function userLogin(needs: Dependencies): StageKind {
  return defineStageKind({
    resource: userLoginStage,
    component: 'xak-stage-user-login',
    allowsImpersonation: true,
    roles: () => ['needs user', 'signs in'],
    challenge: pendingUserSchemas,
    answer: { remember_me: boolean() },
    async show(step) {
      const isOffered = !step.walk.plan.isWithoutBrowser && lengthOf(step, 'remember_me_offset') > 0;
      if (isOffered && (await pendingActive(step))) return ask(await pendingUserMembers(step));
      return signIn(needs, step, false);
    },
    verifyRegistration: (step, { remember_me }) => signIn(needs, step, remember_me === true),
  });
}

async function signIn({ key, isSecure }: Dependencies, step: Step<Settings>, isRemembered: boolean): Promise<Move> {
  const user = await pendingActive(step);
  if (!user) return deny(denied);
  const { call, context, settings } = step;
  const lengthMs = lengthOf(step, 'session_duration') + (isRemembered ? lengthOf(step, 'remember_me_offset') : 0);
  const cookies: string[] = [];
  return {
    move: 'next',
    cookies,
    async write(tx) {
      // A session of the user would outlive the impersonation and hide the impersonator.
      if (call.actor?.user.pk === user.pk) checkNotImpersonating(call);
      await updateLastLogin(tx, call.now, user, context.source?.pk ?? null);
      if (step.walk.plan.isWithoutBrowser) context.signed_in = user.pk;
      else await giveSession(tx, user, cookies);
      const { auth_method, auth_method_args } = context;
      const event = { action: 'login', app: 'svc_stages_user_login', context: { auth_method, auth_method_args } };
      await call.world.record(tx, actingAs(call, user), event);
    },
  };

  async function giveSession(tx: Query, { pk }: UserFacts, cookies: string[]): Promise<void> {
    const facts: SessionFacts = {
      userId: pk,
      clientIp: call.request.clientIp,
      userAgent: call.request.userAgent,
      now: call.now,
      amr: methodReferences(context),
      isProven: isProven(context),
      isByAppPassword: isProven(context) && !isOwnerProven(context),
      ...(lengthMs > 0 ? { lifetimeMs: lengthMs } : untilBrowserEnds),
      ...bindingOf(step),
    };
    const before = call.actor?.session ?? null;
    const renewed = before === null ? null : await renewSession(tx, key, before, facts);
    const session = renewed ?? (await startSession(tx, key, facts));
    // Signs out the browser's previous user, so that the next one does not inherit their session.
    if (before !== null && !renewed) await endSession(tx, before);
    if (settings.terminate_other_sessions) await endSessions(tx, pk, session.pk);
    const maxAge = lengthMs > 0 ? Math.ceil(lengthMs / 1000) : null;
    cookies.push(...sessionCookies(session, isSecure, maxAge));
    context.session = session.pk;
  }
}

async function pendingActive({ pendingUser }: Step<Settings>): Promise<UserFacts | null> {
  const user = await pendingUser();
  return user?.is_active && user.type !== 'internal_service_account' ? user : null;
}

/** Checks again, in the transaction: the user or the source may have been disabled during the flow. */
async function updateLastLogin(tx: Query, now: string, { pk }: UserFacts, source: string | null): Promise<void> {
  const updated = await (source === null ? noteIfMay(tx, now, pk) : noteIfMayBy(tx, now, pk, source));
  if (updated.length === 0) throw new Problem('permission_denied', denied);
}

const noteIfMay = statement<[now: string, pk: number], unknown>(
  (now, pk) => sql`update users set last_login = ${now} where pk = ${pk} and is_active returning pk`,
);

const noteIfMayBy = statement<[now: string, pk: number, source: string], unknown>(
  (now, pk, source) => sql`update users set last_login = ${now} where pk = ${pk} and is_active
    and exists (select 1 from sources where pk = ${source} and enabled) returning pk`,
);

const lengthOf = ({ settings }: Step<Settings>, name: 'session_duration' | 'remember_me_offset'): number =>
  Math.max(0, parseDuration(settings[name]) ?? 0);

function bindingOf({ settings }: Step<Settings>): Pick<SessionFacts, 'binding'> {
  const binding = { network: settings.network_binding, geo: settings.geoip_binding };
  return Object.values(binding).every((bound) => bound === 'no_binding') ? {} : { binding };
}
