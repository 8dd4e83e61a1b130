import { randomBytes } from 'node:crypto';
import {
  type Attribute,
  attributeTypes,
  codes,
  encryptSalted,
  maxValueLength,
  type Response,
  valuesOf,
  withoutPadding,
} from '../../../../lib/radius/packet.ts';
import { inVendor } from '../../../../lib/radius/values.ts';
import type { ServerNeeds } from '../../../../provider/password-server/server-needs.ts';
import { accept, reject, textOf, userOfPassword } from '../server/answer.ts';
import type { Complain } from '../server/complaints.ts';
import type { RadiusCall } from '../server/radius-call.ts';
import {
  eapTypes,
  emptyFragment,
  encodeEapEnd,
  encodeEapRequest,
  fragmentsOf,
  readAvps,
  readEapResponse,
  readTlsFragment,
  startFragment,
} from './eap-packet.ts';
import { findEapPair, methodsOf } from './eap-pairs.ts';
import type { EapSession, EapSessions } from './sessions.ts';
import { openTunnel, type Tunnel } from './tls-tunnel.ts';
import { userOfCertificate } from './user-of-certificate.ts';

interface AnswerEapNeeds extends ServerNeeds {
  readonly sessions: EapSessions;
  readonly complain: Complain;
}

/** Whether a request carries EAP. */
export const isEap = ({ packet }: RadiusCall): boolean => valuesOf(packet, attributeTypes.eapMessage).length > 0;

/** Goes one step further in a conversation by EAP. Every way that is not a success ends in a refusal. */
export async function answerEap(needs: AnswerEapNeeds, request: RadiusCall): Promise<Response> {
  const { packet, provider, call } = request;
  const { clientIp } = call.request;
  const message = Buffer.concat(valuesOf(packet, attributeTypes.eapMessage));
  const response = readEapResponse(message);
  if (!response) return reject;
  const refuseFor = (why: string) => {
    needs.complain(clientIp, why, 'rejected');
    return refuse(response.id);
  };
  const [state] = valuesOf(packet, attributeTypes.state);
  if (!state) {
    const [method] = methodsOf(provider);
    if (method === undefined) return refuseFor('its provider has no key pair for EAP');
    if (response.type !== eapTypes.identity) return refuseFor(unknownConversation);
    const session = needs.sessions.open(clientIp, provider.pk, method);
    if (!session) return refuseFor('too many conversations by EAP are open');
    session.id = (response.id + 1) & 0xff;
    return challenge(session, startFragment);
  }
  const session = needs.sessions.resume(state, clientIp, provider.pk, message.length);
  if (!session || response.id !== session.id) return refuseFor(unknownConversation);
  session.id = (session.id + 1) & 0xff;
  const next =
    response.type === eapTypes.nak
      ? tryOther(request, session, response.data)
      : await goOn(needs, request, session, response);
  if (typeof next !== 'string' && next.code === codes.accessChallenge) return next;
  needs.sessions.end(session);
  return typeof next === 'string' ? refuseFor(next) : next;
}

const unknownConversation = 'its conversation by EAP is unknown, over or out of order';

/** A response, or why the device is refused, for the log: events record wrong passwords and policies. */
type Step = Response | string;

/** The device names the types that it would rather have. */
function tryOther({ provider }: RadiusCall, session: EapSession, wanted: Buffer): Step {
  const other = methodsOf(provider).find((type) => wanted.includes(type) && !session.tried.has(type));
  if (session.tunnel || other === undefined)
    return `the device takes other types of EAP only: ${Array.from(wanted.subarray(0, 10), nameOfType).join(', ')}`;
  session.method = other;
  session.tried.add(other);
  return challenge(session, startFragment);
}

const nameOfType = (type: number): string => (type === peap ? `${peap} (PEAP)` : String(type));
const peap = 25;

async function goOn(
  needs: AnswerEapNeeds,
  request: RadiusCall,
  session: EapSession,
  response: { readonly type: number; readonly data: Buffer },
): Promise<Step> {
  const fragment = response.type === session.method ? readTlsFragment(response.data) : null;
  if (!fragment) return malformed;
  if (session.outgoing.length > 0) return fragment.data.length === 0 ? sendNext(session) : malformed;
  if (fragment.data.length === 0) return finish(needs, request, session);
  session.incoming.push(Buffer.from(fragment.data));
  if (fragment.hasMore) return challenge(session, emptyFragment);
  const incoming = Buffer.concat(session.incoming);
  session.incoming = [];
  if (!session.tunnel) {
    const { call, provider } = request;
    const pair = await findEapPair(call.db.read, needs.key.box, provider.pk, session.method);
    if (!pair) return 'the key pair of its provider is gone';
    session.tunnel = openTunnel(pair);
  }
  const received = await session.tunnel.receive(incoming);
  if (!received) return `TLS with the device failed: ${session.tunnel.failure()}`;
  if (received.data.length > 0)
    return session.method === eapTypes.ttls ? byPassword(needs, request, session, received.data) : malformed;
  const flight = await withSuccess(session, received.flight);
  if (flight === null) return `TLS with the device failed: ${session.tunnel.failure()}`;
  if (flight.length === 0) return session.method === eapTypes.tls ? distrusted(session.tunnel) : malformed;
  session.outgoing = fragmentsOf(flight);
  return sendNext(session);
}

const malformed = 'its EAP message is malformed';
const distrusted = (tunnel: Tunnel): string => `the certificate of the device is not accepted: ${tunnel.distrust()}`;

/** After a flight of TLS 1.3 that shows a verified certificate, EAP-TLS confirms that (RFC 9190, section 2.1.1). */
async function withSuccess({ method, tunnel }: EapSession, flight: Buffer): Promise<Buffer | null> {
  if (method !== eapTypes.tls || !tunnel?.isTls13()) return flight;
  if (tunnel.peerName() === null) return Buffer.alloc(0);
  const success = await tunnel.send(Buffer.of(0));
  return success && Buffer.concat([flight, success]);
}

function sendNext(session: EapSession): Response {
  const [next = emptyFragment, ...rest] = session.outgoing;
  session.outgoing = rest;
  return challenge(session, next);
}

/** The device has nothing to add: by EAP-TLS, its certificate says who it is. */
async function finish(needs: AnswerEapNeeds, request: RadiusCall, session: EapSession): Promise<Step> {
  if (session.method !== eapTypes.tls || !session.tunnel) return malformed;
  const name = session.tunnel.peerName();
  if (name === null) return distrusted(session.tunnel);
  const user = await userOfCertificate(request.call, name);
  return user ? letIn(needs, request, session, user) : `the certificate of the device names no active user: ${name}`;
}

async function byPassword(
  needs: AnswerEapNeeds,
  request: RadiusCall,
  session: EapSession,
  data: Buffer,
): Promise<Step> {
  const avps = readAvps(data);
  const username = textOf(avps?.get(attributeTypes.userName) ?? null);
  const padded = avps?.get(attributeTypes.userPassword);
  const password = textOf(padded ? withoutPadding(padded) : null);
  if (username === null || password === null) return 'the device sends no name and password in its tunnel (PAP)';
  const user = await userOfPassword(needs, request, username, password);
  return user ? letIn(needs, request, session, user) : refuse(answered(session));
}

async function letIn(
  needs: AnswerEapNeeds,
  request: RadiusCall,
  session: EapSession,
  user: Parameters<typeof accept>[2],
): Promise<Response> {
  const accepted = await accept(needs, request, user);
  if (accepted.code !== codes.accessAccept || !session.tunnel) return refuse(answered(session));
  const key = session.tunnel.exportMasterKey(session.method);
  return {
    code: codes.accessAccept,
    attributes: [...inEap(encodeEapEnd(true, answered(session))), ...mppeKeys(request, key), ...accepted.attributes],
  };
}

const microsoft = 311;

/** The keys by which the access point encrypts (RFC 2548, section 2.4). */
function mppeKeys({ packet, provider }: RadiusCall, key: Buffer): Attribute[] {
  const salts = randomBytes(4);
  return [key.subarray(32, 64), key.subarray(0, 32)].map((half, at) => {
    // Distinct, with the first bit set.
    const salt = Buffer.of(0x80 | ((salts[0] ?? 0) & 0x7e) | at, salts[1] ?? 0);
    const value = encryptSalted(half, { secret: provider.secret, authenticator: packet.authenticator, salt });
    return { type: attributeTypes.vendorSpecific, value: inVendor(microsoft, 16 + at, value) };
  });
}

function challenge(session: EapSession, data: Buffer): Response {
  return {
    code: codes.accessChallenge,
    attributes: [
      { type: attributeTypes.state, value: session.state },
      ...inEap(encodeEapRequest(session.id, session.method, data)),
    ],
  };
}

/** The identifier of the response that is being handled, which a success or failure repeats (RFC 3748, section 4.2). */
const answered = ({ id }: EapSession): number => (id - 1) & 0xff;

const refuse = (id: number): Response => ({ code: codes.accessReject, attributes: inEap(encodeEapEnd(false, id)) });

const inEap = (message: Buffer): Attribute[] =>
  Array.from({ length: Math.ceil(message.length / maxValueLength) }, (_, at) => ({
    type: attributeTypes.eapMessage,
    value: message.subarray(at * maxValueLength, (at + 1) * maxValueLength),
  }));
