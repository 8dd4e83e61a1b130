import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { GuardedFetch, OutboundRequest, OutboundResponse } from '../../platform/fetch/guarded-fetch.ts';
import { OutboundError } from '../../platform/fetch/outbound-error.ts';
import { createRateLimit } from '../../platform/limits/rate-limit.ts';
import type { Resource } from '../../resource/resource.ts';
import { modelFacts } from '../../resource/write/audit.ts';
import type { Write } from '../executor/stage-kind.ts';

/** Why a call to an external service failed, for administrators; without secrets. */
export class ServiceFault {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

const limits = { timeoutMs: 5_000, maxBytes: 65_536 };

/**
 * Calls a service configured by an administrator while a person waits: with a short time limit, and faults as results.
 */
export async function callService(
  fetch: GuardedFetch,
  url: string,
  request: OutboundRequest,
): Promise<OutboundResponse | ServiceFault> {
  try {
    return await fetch(url, { ...limits, ...request });
  } catch (error) {
    if (error instanceof OutboundError) return new ServiceFault(error.message);
    throw error;
  }
}

/** Parses the response as a JSON object. */
export function objectIn(answer: OutboundResponse): JsonObject | ServiceFault {
  try {
    const body = answer.json();
    return isJsonObject(body) ? body : new ServiceFault('the service did not answer with an object');
  } catch (error) {
    if (error instanceof OutboundError) return new ServiceFault(error.message);
    throw error;
  }
}

export const isSuccess = ({ status }: OutboundResponse): boolean => status >= 200 && status <= 299;

/** An event that explains to administrators why a stage does not work. */
export type ServiceFaultEvents = (
  resource: Resource,
  settings: { readonly pk: string; readonly name: string },
  fault: ServiceFault,
) => Write;

/** Records a few events for each stage: anonymous callers can repeat the fault without limit. */
export function createServiceFaultEvents(): ServiceFaultEvents {
  const events = createRateLimit({ max: 5, windowMs: 10 * 60_000 });
  return (resource, settings, { why }) =>
    async (tx, call) => {
      if (events.waitAfter(settings.pk) > 0) return;
      const model = modelFacts(resource, settings.pk, settings);
      const context = { message: `${settings.name}: ${why}`, model };
      await call.world.record(tx, call, { action: 'configuration_error', app: resource.app, context });
    };
}
