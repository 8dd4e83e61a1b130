import type { JobServer } from '../../../../core/kind/kind.ts';
import { newMessageId } from '../../../../lib/saml/message.ts';
import { encodePost } from '../../../../lib/saml/post-binding.ts';
import { redirectUrl } from '../../../../lib/saml/redirect-binding.ts';
import type { Markup } from '../../../../lib/xml/write-xml.ts';
import type { Database, Query } from '../../../../platform/db/database.ts';
import type { GuardedFetch, OutboundRequest, OutboundResponse } from '../../../../platform/fetch/guarded-fetch.ts';
import { OutboundError } from '../../../../platform/fetch/outbound-error.ts';
import { type JobKind, type Jobs, PermanentFailure } from '../../../../platform/jobs/job.ts';
import type { Call } from '../../../../resource/call.ts';
import { factsOf } from '../error-events.ts';
import type { Login } from '../logins.ts';
import { samlApp } from '../models.ts';
import { loadServiceProvider, type ServiceProvider } from '../service-provider.ts';
import type { KeyOf } from '../signing-key.ts';
import { isConfirmed } from './confirmation.ts';
import { logoutRequestFor } from './logout-request.ts';
import { soapEnvelope, soapHeaders } from './soap.ts';

type Dependencies = Pick<JobServer, 'db' | 'systemCall'> & { readonly fetch: GuardedFetch; readonly keyOf: KeyOf };

/** A session that is over at a service provider. */
interface Ended extends Login {
  /** The browser should have notified it, but did not return. */
  readonly isAbandoned?: boolean;
}

const tellProvider = 'saml_tell_logout';

export const queueProviderNotification = (jobs: Jobs, tx: Query, payload: Ended): Promise<void> =>
  jobs.enqueue(tx, { kind: tellProvider, payload });

/** Tells a service provider behind the scenes that a session is over. */
export function notifyProviderJob({ db, fetch, keyOf, systemCall }: Dependencies): JobKind<Ended> {
  return {
    name: tellProvider,
    summary: 'Notify a SAML service provider that a session has ended.',
    isOutgoing: true,
    attempts: 5,
    async run({ payload: login }) {
      const provider = await loadServiceProvider(db, { provider: login.provider });
      if (!provider) return 'The service provider is gone.';
      const isTold = provider.logout_method === 'backchannel' || login.isAbandoned;
      if (provider.sls_url === '' || !isTold) return 'This service provider is not notified by the server.';
      const answer = await deliver(provider, login);
      if (answer.status >= 400) throw new Error(`The service provider answered with ${answer.status}.`);
      // Of one that expects requests by the server, to have arrived is enough. One that expects a browser may need its
      // cookie.
      if (provider.logout_method !== 'backchannel' && !isConfirmed(answer)) {
        throw new PermanentFailure('it did not confirm a request that came without the browser');
      }
      return `The service provider answered with ${answer.status}.`;
    },
    afterFailure: (tx, { payload, message }) => recordLogoutFailure(db, tx, systemCall(), payload, message),
  };

  async function deliver(provider: ServiceProvider, login: Login): Promise<OutboundResponse> {
    const message = logoutRequestFor(keyOf, provider, login, { id: newMessageId(), now: systemCall().now });
    const { url, request } = requestOf(provider, message, keyOf);
    // The response is often a redirect that would send a browser back here.
    return fetch(url, { ...request, returnRedirect: true }).catch((error: unknown) => {
      const isHopeless = error instanceof OutboundError && (error.reason === 'blocked' || error.reason === 'bad-url');
      throw isHopeless ? new PermanentFailure(error.message) : error;
    });
  }
}

function requestOf(
  provider: ServiceProvider,
  message: Markup,
  keyOf: KeyOf,
): { readonly url: string; readonly request: OutboundRequest } {
  const { sls_url: url, sls_binding } = provider;
  switch (sls_binding) {
    case 'redirect':
      return {
        url: redirectUrl(url, { name: 'SAMLRequest', message, relayState: null, key: keyOf(provider) }),
        request: {},
      };
    case 'post': {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const body = new URLSearchParams({ SAMLRequest: encodePost(message) }).toString();
      return { url, request: { method: 'POST', headers, body } };
    }
    case 'soap':
      return { url, request: { method: 'POST', headers: soapHeaders, body: soapEnvelope(message) } };
  }
}

/** Records that a user may still be signed in at a service provider. */
export async function recordLogoutFailure(
  db: Database,
  tx: Query,
  call: Call,
  { provider: pk, name_id }: Login,
  reason: string,
): Promise<void> {
  const provider = await loadServiceProvider(db, { provider: pk });
  if (!provider) return;
  const message = `${provider.application.name} could not be notified that a session has ended: ${reason}`;
  const context = { message, name_id, ...factsOf(provider) };
  await call.world.record(tx, call, { action: 'configuration_error', app: samlApp, context });
}
