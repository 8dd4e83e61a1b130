import { addMilliseconds } from '../../../../../platform/clock.ts';
import { orderedUuid } from '../../../../../platform/random.ts';
import { signInOfSession } from '../../../../../provider/sign-in-of-session.ts';
import { pollSeconds } from '../../device/device-authorization.ts';
import { deviceCodeGrant } from '../../grant-types.ts';
import { OAuthError } from '../../oauth-error.ts';
import { consumeRequest, countPoll, findRequest } from '../../requests.ts';
import type { GrantKind } from '../grant-kind.ts';

/** RFC 8628 §3.4, §3.5: a device polls until the user has decided in a browser. */
export const deviceCode: GrantKind = {
  grantType: deviceCodeGrant,
  isAuthorization: false,
  deniedAs: 'access_denied',
  async redeem({ needs, call, params, by: { client } }) {
    const request = await findRequest(call.db.read, needs.key, 'device', params.require('device_code'));
    if (request?.provider !== client.pk) throw new OAuthError('invalid_grant', 'The device code is invalid.');
    if (request.expires <= call.now) throw new OAuthError('expired_token', 'The device code has expired.');
    const notSince = addMilliseconds(call.now, -pollSeconds * 1000);
    if (!(await call.db.write((tx) => countPoll(tx, request.pk, call.now, notSince)))) {
      throw new OAuthError('slow_down', 'The device polls too often.');
    }
    if (request.state === 'denied') throw new OAuthError('access_denied', 'The request was denied.');
    if (request.state === 'waiting' || request.user === null) {
      throw new OAuthError('authorization_pending', 'The user has not decided yet.');
    }
    const granted = [request.content.scope ?? []].flat().map(String);
    const signIn = await signInOfSession(call.db.read, request.session);
    const resource = [request.content.resource ?? []].flat().map(String);
    return {
      user: request.user,
      scope: { allowed: new Set(granted), default: granted },
      family: orderedUuid(),
      // The device goes on when its person closes the browser in which they let it in.
      session: null,
      authTime: signIn?.at ?? null,
      terms: {
        ...(signIn && signIn.amr.length > 0 && { amr: [...signIn.amr] }),
        ...(resource.length > 0 && { resource }),
      },
      gives: { id: true, refresh: true },
      async consume(tx) {
        if (await consumeRequest(tx, request.pk)) return;
        throw new OAuthError('invalid_grant', 'The device code was already used.');
      },
    };
  },
};
