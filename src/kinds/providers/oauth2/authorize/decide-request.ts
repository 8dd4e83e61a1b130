import { sql } from 'kysely';
import type { PlanStep } from '../../../../flow/plan.ts';
import type { AppendStep } from '../../../../flow/protocol-kind.ts';
import type { Json } from '../../../../lib/json.ts';
import { Problem } from '../../../../lib/problem.ts';
import { addMilliseconds } from '../../../../platform/clock.ts';
import type { Query } from '../../../../platform/db/database.ts';
import type { InstanceKey } from '../../../../platform/keys.ts';
import type { Call } from '../../../../resource/call.ts';
import { apiScope } from '../api-scope.ts';
import type { Client } from '../client.ts';
import { openDevicePage } from '../device/device-page-entry.ts';
import { authorizedEvent } from '../events.ts';
import { deviceCodeGrant } from '../grant-types.ts';
import { oauth2Model } from '../oauth2-model.ts';
import { decideRequest, storeRequest } from '../requests.ts';
import type { AuthorizeRequest } from './authorize-request.ts';

/** What a flow is begun for. */
export type Allowable =
  /** To answer a client. */
  | {
      readonly kind: 'authorize';
      readonly provider: number;
      readonly flow: string;
      readonly id: string;
      readonly request: AuthorizeRequest;
    }
  /** To let a device in. */
  | {
      readonly kind: 'device';
      readonly provider: number;
      readonly flow: string;
      readonly pk: string;
      readonly scope: readonly string[];
      readonly application: Pick<Client['application'], 'pk' | 'name'>;
    }
  /** To come to the page on which devices are let in. */
  | { readonly kind: 'device_page' };

/** As long as a browser may take to come back from the flow, and as somebody may take to read why they were denied. */
const lifetimeMs = { granted: 5 * 60_000, denied: 30 * 60_000 };
const over = 'This request cannot be decided any more.';

/** Allows or refuses what the flow was begun for. */
type Decision = 'allow_request' | 'refuse_request';

const deciding = (step: Decision, allowable: Allowable): PlanStep => ({
  kind: oauth2Model,
  step,
  // Plain data; an interface has no index signature, which `Json` asks for.
  content: allowable as unknown as Json,
});
export const allowing = (allowable: Allowable): PlanStep => deciding('allow_request', allowable);
export const refusing = (allowable: Allowable): PlanStep => deciding('refuse_request', allowable);

/** Allows or refuses the request that a flow was begun for, in the transaction that ends the walk. */
export function decideOnRequest(key: InstanceKey): AppendStep {
  return async ({ step, content: planned }, { context }, tx, call) => {
    // What `deciding` planned.
    const allowable = planned as unknown as Allowable;
    const lacksConsent = step === 'allow_request' && needsConsent(allowable, context.consented_scopes);
    if (lacksConsent) await recordLackOfConsent(tx, call, allowable);
    const state = step === 'allow_request' && !lacksConsent ? 'granted' : 'denied';
    const user = call.actor?.user.pk;
    const session = call.actor?.session ?? null;
    if (user === undefined || session === null || call.actor?.impersonator) throw refusal();
    // It is decided by whoever is signed in now. To allow it they must be the one the flow was about; to refuse it they need not.
    if (state === 'granted' && context.pending_user !== user) throw refusal();
    if (!(await isStillSo(tx, user, session, allowable))) throw refusal();
    if (allowable.kind === 'device_page') {
      if (state === 'granted') await openDevicePage(tx, key, session, call.now);
      return;
    }
    if (allowable.kind === 'device') {
      if (!(await decideRequest(tx, allowable.pk, state, { user, session }))) throw refusal();
      if (state === 'denied') return;
      return call.world.record(tx, call, authorizedEvent(allowable, { ...allowable, grantType: deviceCodeGrant }));
    }
    const { id, provider, flow } = allowable;
    // Plain data, as above.
    const content = { request: allowable.request as unknown as Json, flow };
    const expires = addMilliseconds(call.now, lifetimeMs[state]);
    const by = { provider, user, session };
    await storeRequest(tx, key, { purpose: 'authorize', id, ...by, state, content, now: call.now, expires });
  };
}

/** Nobody lets a client act as them in the API without having agreed to that by name, whatever its flow asks. */
function needsConsent(allowable: Allowable, consented: Json | undefined): boolean {
  if (allowable.kind === 'device_page') return false;
  const scope = allowable.kind === 'device' ? allowable.scope : allowable.request.scope;
  return scope.includes(apiScope) && !(Array.isArray(consented) && consented.includes(apiScope));
}

async function recordLackOfConsent(tx: Query, call: Call, allowable: Allowable): Promise<void> {
  const message = `The scope ${apiScope} takes an authorization flow with a consent stage.`;
  const context = { message, ...('provider' in allowable && { provider: allowable.provider }) };
  await call.world.record(tx, call, { action: 'configuration_error', app: 'svc_providers_oauth2', context });
}

async function isStillSo(tx: Query, user: number, session: string, allowable: Allowable): Promise<boolean> {
  const provided =
    allowable.kind === 'device_page'
      ? sql``
      : sql` and exists (select 1 from provider_oauth2 where pk = ${allowable.provider})`;
  const { rows } = await sql`select 1 from users u join authenticated_sessions s on s.pk = ${session}
    where u.pk = ${user} and u.is_active${provided}`.execute(tx);
  return rows.length > 0;
}

const refusal = () => new Problem('permission_denied', over);
