import { newMessageId } from '../../../../lib/saml/message.ts';
import { encodePost } from '../../../../lib/saml/post-binding.ts';
import type { Database } from '../../../../platform/db/database.ts';
import type { GuardedFetch } from '../../../../platform/fetch/guarded-fetch.ts';
import { OutboundError } from '../../../../platform/fetch/outbound-error.ts';
import { type JobKind, type Jobs, PermanentFailure, type RunningJob } from '../../../../platform/jobs/job.ts';
import { queueWhenSessionsEnd } from '../../../../provider/ended-sessions.ts';
import type { Call } from '../../../../resource/call.ts';
import { hasLogins, type Login, takeEndedLogins } from '../logins.ts';
import { samlApp } from '../models.ts';
import { factsOf } from '../refusal-events.ts';
import { loadServiceProvider, type ServiceProvider } from '../service-provider.ts';
import type { KeyOf } from '../signing-key.ts';
import { logoutRequestFor } from './logout-request.ts';
import { soapEnvelope, soapHeaders } from './soap.ts';

interface Needs {
  readonly db: Database;
  readonly fetch: GuardedFetch;
  readonly keyOf: KeyOf;
  jobs(): Jobs;
  systemCall(): Call;
}

const findEnded = 'saml_find_ended_sessions';
const tellProvider = 'saml_tell_logout';

export const queueLogouts = (jobs: () => Jobs) => queueWhenSessionsEnd(jobs, findEnded, hasLogins);

/** Tells service providers behind the scenes that a session is over, in whatever way it ended. */
export function logoutJobs({ db, fetch, keyOf, jobs, systemCall }: Needs): JobKind[] {
  return [
    {
      name: findEnded,
      summary: 'Find the SAML service providers of sessions that are over.',
      oneAtATime: true,
      deleteWhenDone: true,
      everyMs: 5 * 60_000,
      async run() {
        const { now } = systemCall();
        const count = await db.write(async (tx) => {
          const logins = await takeEndedLogins(tx, now);
          for (const login of logins) await jobs().enqueue(tx, { kind: tellProvider, payload: login });
          return logins.length;
        });
        return count > 0 ? `Sessions at ${count} service providers are over.` : undefined;
      },
    },
    {
      name: tellProvider,
      summary: 'Tell a SAML service provider that a session is over.',
      attempts: 5,
      async run({ payload: login }: RunningJob<Login>) {
        const provider = await loadServiceProvider(db, { provider: login.provider });
        if (!provider) return 'The service provider is gone.';
        if (provider.sls_url === '' || provider.logout_method !== 'backchannel')
          return 'It is not told by this server.';
        return deliver(provider, login);
      },
    },
  ];

  async function deliver(provider: ServiceProvider, login: Login): Promise<string> {
    const call = systemCall();
    const message = logoutRequestFor(keyOf, provider, login, { id: newMessageId(), now: call.now });
    const sent =
      provider.sls_binding === 'soap'
        ? { headers: soapHeaders, body: soapEnvelope(message) }
        : {
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            body: new URLSearchParams({ SAMLRequest: encodePost(message) }).toString(),
          };
    const { status } = await fetch(provider.sls_url, { method: 'POST', ...sent }).catch(async (error: unknown) => {
      const isHopeless = error instanceof OutboundError && (error.reason === 'blocked' || error.reason === 'bad-url');
      if (!isHopeless) throw error;
      const context = { message: `Backchannel logout response failed: ${error.message}`, ...factsOf(provider) };
      await db.write((tx) => call.world.record(tx, call, { action: 'configuration_error', app: samlApp, context }));
      throw new PermanentFailure(error.message);
    });
    // Answers lead on to pages of the application; to have arrived is enough.
    if (status >= 400) throw new Error(`The service provider answered with ${status}.`);
    return `The service provider answered with ${status}.`;
  }
}
