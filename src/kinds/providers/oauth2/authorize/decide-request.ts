import type { PlanStep } from '../../../../flow/plan.ts';
import type { AppendStep } from '../../../../flow/protocol-kind.ts';
import type { Json } from '../../../../lib/json.ts';
import type { Query } from '../../../../platform/db/database.ts';
import type { InstanceKey } from '../../../../platform/keys.ts';
import {
  createDecisionStep,
  type Decision,
  deciderOf,
  decisionOf,
  refusal,
  storeDecision,
  type TicketDecision,
} from '../../../../provider/authorize/decide.ts';
import type { Call } from '../../../../resource/call.ts';
import { apiScope } from '../api-scope.ts';
import type { Client } from '../client.ts';
import { openDevicePage } from '../device/device-page-entry.ts';
import { authorizedEvent } from '../events.ts';
import { deviceCodeGrant } from '../grant-types.ts';
import { oauth2Model } from '../oauth2-model.ts';
import { decideRequest } from '../requests.ts';
import type { AuthorizeRequest } from './authorize-request.ts';

/** What a flow is begun for. */
export type DecisionSubject =
  /** To answer a client. */
  | TicketDecision
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

/** Decides about the request at the end of its flow. */
export const decisionStep = (decision: Decision, allowable: DecisionSubject): PlanStep =>
  createDecisionStep(oauth2Model, decision, allowable);

/** Allows or refuses the request that a flow was begun for, in the transaction that ends the walk. */
export function decideOnRequest(key: InstanceKey): AppendStep {
  return async (step, { context }, tx, call) => {
    // What `decisionStep` or `requireUserDecision` planned.
    const allowable = step.content as unknown as DecisionSubject;
    const lacksConsent = decisionOf(step) === 'granted' && needsConsent(allowable, context.user_notes.consented_scopes);
    if (lacksConsent) await recordLackOfConsent(tx, call, allowable);
    const decision = lacksConsent ? 'denied' : decisionOf(step);
    const provider = 'provider' in allowable ? allowable.provider : null;
    const by = await deciderOf(tx, call, { decision, context, provider });
    if (!('kind' in allowable)) return storeDecision(tx, key, call, allowable, { decision, by });
    if (allowable.kind === 'device_page') {
      if (decision === 'granted') await openDevicePage(tx, key, by.session, call.now);
      return;
    }
    if (!(await decideRequest(tx, allowable.pk, decision, by))) throw refusal();
    if (decision === 'denied') return;
    return call.world.record(tx, call, authorizedEvent(allowable, { ...allowable, grantType: deviceCodeGrant }));
  };
}

/** The API scope requires explicit consent by name, whatever the flow is configured to ask. */
function needsConsent(allowable: DecisionSubject, consented: Json | undefined): boolean {
  if ('kind' in allowable && allowable.kind === 'device_page') return false;
  // What `goThroughFlow` asked for.
  const { scope } = 'kind' in allowable ? allowable : (allowable.request as unknown as AuthorizeRequest);
  return scope.includes(apiScope) && !(Array.isArray(consented) && consented.includes(apiScope));
}

async function recordLackOfConsent(tx: Query, call: Call, allowable: DecisionSubject): Promise<void> {
  const message = `The scope ${apiScope} takes an authorization flow with a consent stage.`;
  const context = { message, ...('provider' in allowable && { provider: allowable.provider }) };
  await call.world.record(tx, call, { action: 'configuration_error', app: 'svc_providers_oauth2', context });
}
