import { message } from '../../../lib/texts/message.ts';
import type { GuardedFetch } from '../../../platform/fetch/guarded-fetch.ts';
import { createRemoteKeys, type RemoteKeys } from '../../../platform/fetch/remote-keys.ts';
import { createRateLimit } from '../../../platform/limits/rate-limit.ts';
import type { Call } from '../../../resource/call.ts';
import { SourceRefusal } from '../../../source/source-refusal.ts';
import { discover } from './discovery.ts';
import { type Endpoints, endpointsOf } from './endpoints.ts';
import type { OAuthSource } from './oauth-model.ts';
import { storeDiscovered } from './store-discovered.ts';

/** What is read of a source's service, for all requests of browsers and of the service itself. */
export interface SourceEndpoints {
  readonly remoteKeys: RemoteKeys;
  endpoints(source: OAuthSource, call: Call): Promise<Endpoints>;
}

export function createSourceEndpoints(fetch: GuardedFetch): SourceEndpoints {
  // Anonymous callers can cause requests to a service that does not respond.
  const discoveries = createRateLimit({ max: 10, windowMs: 60_000 });
  return {
    remoteKeys: createRemoteKeys(fetch),
    endpoints: (source, call) =>
      endpointsOf(
        {
          discover(wanted) {
            if (discoveries.waitAfter(wanted.pk) > 0) {
              throw new SourceRefusal(
                message('{name} cannot be reached at the moment. Please try again in a minute.', { name: wanted.name }),
              );
            }
            return discover(fetch, wanted);
          },
          keep: (wanted, discovered) => call.db.write((tx) => storeDiscovered(tx, wanted.pk, discovered)),
        },
        source,
      ),
  };
}
