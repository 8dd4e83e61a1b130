import type { RequestFacts } from '../platform/http/request-facts.ts';
import { createRateLimit } from '../platform/limits/rate-limit.ts';
import type { Log } from '../platform/log.ts';
import type { Call } from '../resource/call.ts';

/** Anyone can send such requests as often as they like. */
const limit = { max: 1, windowMs: 10 * 60_000 };

/** Records that the expressions of a request were ended, once in ten minutes for each path. */
export function createSandboxBudgetEvents(systemCall: () => Call, log: Log): (request: RequestFacts) => Promise<void> {
  const reports = createRateLimit({ ...limit, keys: 1_000 });
  return async (request) => {
    if (reports.waitAfter(request.path.slice(0, 200)) > 0) return;
    const call = { ...systemCall(), request };
    const message =
      'The expressions and patterns of one request took too long together and were refused. Simplify the policies, mappings and redirect URIs that it depends on.';
    const context = { message, path: request.path.slice(0, 200), method: request.method };
    const event = { action: 'configuration_error', app: 'svc_core', context };
    try {
      await call.db.write((tx) => call.world.record(tx, call, event));
    } catch (err) {
      log.warn({ err, request_id: request.id }, 'the event about costly expressions could not be stored');
    }
  };
}
