import { createHmac } from 'node:crypto';
import { callService, isSuccess, objectIn, ServiceFault } from '../../../flow/services/call-service.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import type { GuardedFetch, OutboundRequest } from '../../../platform/fetch/guarded-fetch.ts';

/** The service's address and our credentials there. */
export interface ServiceAccount {
  readonly api_hostname: string;
  readonly integration: string;
  readonly secret: string;
}

export interface Activation {
  readonly user_id: string;
  readonly activation_barcode: string;
  readonly activation_code: string;
}

const statuses = ['success', 'waiting', 'invalid'] as const;
export type EnrolmentStatus = (typeof statuses)[number];

export interface ServiceUser {
  readonly user_id: string;
  readonly username: string;
}

/** The push service. Every call returns a result or a fault within its time limit. */
export interface TwofactorApi {
  /** Creates an account and returns how to activate a phone for it. */
  enrol(account: ServiceAccount, username: string, now: string): Promise<Activation | ServiceFault>;
  enrolmentStatus(
    account: ServiceAccount,
    activation: Activation,
    now: string,
  ): Promise<EnrolmentStatus | ServiceFault>;
  /** Sends a push notification and waits for the response. */
  askPerson(account: ServiceAccount, userId: string, clientIp: string, now: string): Promise<boolean | ServiceFault>;
  listUsers(account: ServiceAccount, now: string): Promise<ServiceUser[] | ServiceFault>;
}

const patienceMs = 45_000;
const maxUsers = 20_000;
const pageSize = 300;

interface ServiceRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
}

export function createTwofactorApi(fetch: GuardedFetch, waitsMs = patienceMs): TwofactorApi {
  const call = async (
    account: ServiceAccount,
    request: ServiceRequest,
    now: string,
    limits: Pick<OutboundRequest, 'timeoutMs' | 'maxBytes'> = {},
  ): Promise<JsonObject | ServiceFault> => {
    const { method, path, parameters } = request;
    const { url, ...signed } = signedRequest(account, method, path, parameters, now);
    const answer = await callService(fetch, url, { ...signed, ...limits });
    if (answer instanceof ServiceFault) return answer;
    const body = objectIn(answer);
    if (body instanceof ServiceFault) return body;
    if (isSuccess(answer) && body.stat === 'OK') return body;
    const detail = typeof body.message === 'string' ? `: ${body.message.slice(0, 200)}` : '';
    return new ServiceFault(`the push service answered with ${answer.status}${detail}`);
  };

  return {
    async enrol(account, username, now) {
      const body = await call(
        account,
        { method: 'POST', path: '/auth/v2/enroll', parameters: { username, valid_secs: '86400' } },
        now,
      );
      return body instanceof ServiceFault ? body : readActivation(body.response);
    },
    async enrolmentStatus(account, { user_id, activation_code }, now) {
      const body = await call(
        account,
        { method: 'POST', path: '/auth/v2/enroll_status', parameters: { user_id, activation_code } },
        now,
      );
      if (body instanceof ServiceFault) return body;
      return statuses.find((status) => status === body.response) ?? unintelligible;
    },
    async askPerson(account, user_id, ipaddr, now) {
      const parameters = { user_id, ipaddr, factor: 'auto', device: 'auto' };
      const body = await call(account, { method: 'POST', path: '/auth/v2/auth', parameters }, now, {
        timeoutMs: waitsMs,
      });
      if (body instanceof ServiceFault) return body;
      const result = membersOf(body.response).result;
      return result === 'allow' || result === 'deny' ? result === 'allow' : unintelligible;
    },
    async listUsers(account, now) {
      const users: ServiceUser[] = [];
      let offset: number | null = 0;
      // The service reports whether there are more pages, possibly without end.
      for (let page = 0; offset !== null && page * pageSize < maxUsers; page++) {
        const parameters = { limit: String(pageSize), offset: String(offset) };
        const body = await call(account, { method: 'GET', path: '/admin/v1/users', parameters }, now, {
          maxBytes: 8 * 1_048_576,
        });
        if (body instanceof ServiceFault) return body;
        if (!Array.isArray(body.response)) return unintelligible;
        users.push(...body.response.slice(0, pageSize).flatMap(readUser));
        const nextOffset: unknown = membersOf(body.metadata).next_offset;
        offset = typeof nextOffset === 'number' && nextOffset > offset ? nextOffset : null;
      }
      return users;
    },
  };
}

const unintelligible = new ServiceFault('the answer of the push service cannot be understood');

const membersOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function readActivation(response: unknown): Activation | ServiceFault {
  const { user_id, activation_barcode, activation_code } = membersOf(response);
  return isText(user_id) && isText(activation_barcode) && isText(activation_code)
    ? { user_id, activation_barcode, activation_code }
    : unintelligible;
}

function readUser(user: unknown): ServiceUser[] {
  const { user_id, username } = membersOf(user);
  return typeof user_id === 'string' && typeof username === 'string' ? [{ user_id, username }] : [];
}

/** The service's own signature scheme: date, method, host, path and parameters, one per line. */
export function signedRequest(
  { api_hostname, integration, secret }: ServiceAccount,
  method: 'GET' | 'POST',
  path: string,
  parameters: Readonly<Record<string, string>>,
  now: string,
): OutboundRequest & { readonly url: string } {
  const { origin, host } = new URL(addressOf(api_hostname));
  const written = Object.keys(parameters)
    .sort()
    .map((name) => `${encode(name)}=${encode(parameters[name] ?? '')}`)
    .join('&');
  const date = new Date(now).toUTCString().replace('GMT', '-0000');
  const signature = createHmac('sha1', secret).update([date, method, host, path, written].join('\n')).digest('hex');
  const headers = {
    date,
    authorization: `Basic ${Buffer.from(`${integration}:${signature}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  };
  const url = `${origin}${path}`;
  return method === 'GET' ? { url: `${url}?${written}`, method, headers } : { url, method, headers, body: written };
}

/** A bare host name means HTTPS; a local gateway can be given as a full URL. */
export const addressOf = (hostname: string): string => (hostname.includes('://') ? hostname : `https://${hostname}`);

/** RFC 3986: encodes everything except letters, digits and `-._~`. */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
