import { addMilliseconds, type Timestamp } from '../../../../platform/clock.ts';
import type { GuardedFetch } from '../../../../platform/fetch/guarded-fetch.ts';
import { OutboundError } from '../../../../platform/fetch/outbound-error.ts';
import { type JobKind, type Jobs, PermanentFailure, type RunningJob } from '../../../../platform/jobs/job.ts';
import { randomUuid } from '../../../../platform/random.ts';
import { queueWhenSessionsEnd } from '../../../../provider/ended-sessions.ts';
import type { Call } from '../../../../resource/call.ts';
import { seconds } from '../claims.ts';
import { type Client, loadClient, secretsOf } from '../client.ts';
import type { OAuthDependencies } from '../dependencies.ts';
import { publishKey } from '../published-keys.ts';
import { signJwt } from '../signing.ts';
import { issuerOf } from '../urls.ts';
import { consumeEndedLogins, hasLogins, type Login } from './logins.ts';
import { loadLogoutSettings } from './logout-settings.ts';

interface Dependencies extends Pick<OAuthDependencies, 'db' | 'key' | 'publicUrl' | 'signer'> {
  readonly fetch: GuardedFetch;
  jobs(): Jobs;
  systemCall(): Call;
}

const findEnded = 'oauth2_find_ended_sessions';
const tellClient = 'oauth2_tell_logout';
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';
const lifetimeMs = 2 * 60_000;

/** Queues notifications for an event that ends sessions. Expired sessions are found later. */
export const queueLogouts = (jobs: () => Jobs) => queueWhenSessionsEnd(jobs, findEnded, hasLogins);

/**
 * Notifies clients that a session has ended, whatever the reason: sign-out, an administrator, expiry. OpenID
 * Connect Back-Channel Logout.
 */
export function logoutJobs(needs: Dependencies): JobKind[] {
  return [
    {
      name: findEnded,
      summary: 'Find the clients of sessions that have ended.',
      oneAtATime: true,
      deleteWhenDone: true,
      everyMs: 5 * 60_000,
      async run() {
        const { now } = needs.systemCall();
        const count = await needs.db.write(async (tx) => {
          const logins = await consumeEndedLogins(tx, now);
          for (const login of logins) await needs.jobs().enqueue(tx, { kind: tellClient, payload: login });
          return logins.length;
        });
        return count > 0 ? `Sessions at ${count} clients are over.` : undefined;
      },
    },
    {
      name: tellClient,
      summary: 'Notify a client that a session has ended.',
      isOutgoing: true,
      attempts: 5,
      async run({ payload: login }: RunningJob<Login>) {
        const client = await loadClient(needs, { provider: login.provider });
        if (!client) return 'The client is gone.';
        const { backchannel_logout_uri: uri } = await loadLogoutSettings(needs.db.read, client.pk);
        if (uri === '') return 'The client has no logout URI.';
        for (const one of withEachSecret(client, needs.systemCall().now)) {
          const answer = await deliver(uri, await logoutToken(one, login));
          if (answer !== null) return answer;
        }
        // §2.8: the client has understood, and will not change its mind.
        throw new PermanentFailure('The client refused the logout token.');
      },
    },
  ];

  /** §2.4. Without a nonce, so that it cannot be confused with an ID token. */
  async function logoutToken(client: Client, { subject, sid }: Login): Promise<string> {
    const { now } = needs.systemCall();
    const expires = addMilliseconds(now, lifetimeMs);
    const key = needs.signer.keyOf(client);
    await needs.db.write((tx) => publishKey(needs.db, tx, client, key, expires));
    return signJwt(key, 'logout+jwt', {
      iss: issuerOf(needs.publicUrl, client.assigned_application_slug, client.issuer_mode),
      sub: subject,
      aud: client.client_id,
      iat: seconds(now),
      exp: seconds(expires),
      jti: randomUuid(),
      events: { [logoutEvent]: {} },
      sid,
    });
  }

  /** Null if the client refuses the token. */
  async function deliver(uri: string, token: string): Promise<string | null> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams({ logout_token: token }).toString();
    const { status } = await needs.fetch(uri, { method: 'POST', headers, body }).catch((error: unknown) => {
      const isHopeless = error instanceof OutboundError && (error.reason === 'blocked' || error.reason === 'bad-url');
      throw isHopeless ? new PermanentFailure(error.message) : error;
    });
    if (status === 400) return null;
    if (status < 200 || status > 299) throw new Error(`The client answered with ${status}.`);
    return `The client answered with ${status}.`;
  }
}

/** While two secrets overlap, it is unknown which one the client uses. */
const withEachSecret = (client: Client, now: Timestamp): Client[] =>
  client.id_token_signed_response_alg === 'HS256'
    ? secretsOf(client, now).map((client_secret) => ({ ...client, client_secret }))
    : [client];
