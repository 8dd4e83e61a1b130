import { asText, type Json, type JsonObject } from '../../../lib/json.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import type { GuardedFetch } from '../../../platform/fetch/guarded-fetch.ts';
import { SourceRefusal } from '../../../source/source-refusal.ts';
import type { Client } from './client.ts';
import type { Endpoints } from './endpoints.ts';
import { failed, isSuccess, requestService } from './request-service.ts';

/** The token response for a code or a refresh token. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly expires: string | null;
  readonly idToken: string | null;
}

interface CodeRedemption {
  readonly code: string;
  readonly redirectUri: string;
  readonly verifier: string;
  readonly client: Client;
}

/** The service no longer honours the code or the refresh token (RFC 6749 §5.2, `invalid_grant`). */
export class GrantRefused extends SourceRefusal {}

const maxTokenLength = 16_384;
/** It is read here and goes into no header, and may name all groups of a user. */
const maxIdTokenLength = 131_072;

/** Redeems a code (RFC 6749 §4.1.3, RFC 7636 §4.5). Throws `SourceRefusal`. */
export function redeemCode(
  fetch: GuardedFetch,
  name: string,
  to: Endpoints,
  { code, redirectUri, verifier, client }: CodeRedemption,
  now: string,
): Promise<Tokens> {
  const grant = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
  return requestTokens(fetch, { name, to, client }, grant, now);
}

/** Renews an access token (RFC 6749 §6). Throws `SourceRefusal`. */
export const renewTokens = (
  fetch: GuardedFetch,
  name: string,
  to: Endpoints,
  { refreshToken, client }: { readonly refreshToken: string; readonly client: Client },
  now: string,
): Promise<Tokens> =>
  requestTokens(fetch, { name, to, client }, { grant_type: 'refresh_token', refresh_token: refreshToken }, now);

interface TokenService {
  readonly name: string;
  readonly to: Endpoints;
  readonly client: Client;
}

async function requestTokens(
  fetch: GuardedFetch,
  { name, to: { token: url, clientAuth }, client }: TokenService,
  grant: Readonly<Record<string, string>>,
  now: string,
): Promise<Tokens> {
  const about = { name, what: 'token' };
  const isBasic = clientAuth === 'basic';
  const body = new URLSearchParams({
    ...grant,
    ...(!isBasic && { client_id: client.id, client_secret: client.secret }),
  });
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    ...(isBasic && { authorization: basicOf(client) }),
  };
  const answer = await requestService(fetch, about, url, { method: 'POST', headers, body: body.toString() });
  // Some services return 200 with an error in the body.
  const { error, error_description } = answer.body;
  if (error !== undefined) {
    const refusal = failed(about, errorTextOf(error_description) ?? errorTextOf(error) ?? 'it refused');
    throw error === 'invalid_grant' ? new GrantRefused(refusal.message) : refusal;
  }
  if (!isSuccess(answer.status)) throw failed(about, `it answered with status ${answer.status}`);
  return tokensOf(answer.body, about, now);
}

function tokensOf(body: JsonObject, about: { name: string; what: string }, now: string): Tokens {
  const accessToken = tokenIn(body.access_token);
  if (accessToken === null) throw failed(about, 'its answer holds none');
  const type = body.token_type ?? 'bearer';
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') throw failed(about, 'it is of an unknown type');
  const seconds = Number(asText(body.expires_in ?? ''));
  const lasts = Number.isFinite(seconds) && seconds > 0 && seconds < 1e9;
  return {
    accessToken,
    refreshToken: tokenIn(body.refresh_token),
    expires: lasts ? addMilliseconds(now, Math.floor(seconds) * 1000) : null,
    idToken: tokenIn(body.id_token, maxIdTokenLength),
  };
}

/** What can be sent in a header (RFC 6750 §2.1). */
const tokenIn = (value: Json | undefined, maxLength = maxTokenLength): string | null =>
  typeof value === 'string' && value.length <= maxLength && /^[\x21-\x7e]+$/.test(value) ? value : null;

/** RFC 6749 §2.3.1: both parts are encoded as in a form. */
const basicOf = ({ id, secret }: Client): string =>
  `Basic ${Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64')}`;

const formEncoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);

/** A service's own error message, if it can be shown. */
export function errorTextOf(value: Json | undefined | null): string | null {
  const text = typeof value === 'string' ? value.replaceAll(/\p{Cc}/gu, ' ').trim() : '';
  return text === '' ? null : text.slice(0, 200);
}

export const refusedByService = (name: string, words: string | null): SourceRefusal =>
  new SourceRefusal(`${name} did not let you in: ${words ?? 'no code was received'}.`);
