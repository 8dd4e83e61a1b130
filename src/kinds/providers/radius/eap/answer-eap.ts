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
import { openTunnel } from './tls-tunnel.ts';
import { userOfCertificate } from './user-of-certificate.ts';

interface Needs extends ServerNeeds {
  readonly sessions: EapSessions;
}

/** Whether a request carries EAP. */
export const isEap = ({ packet }: RadiusCall): boolean => valuesOf(packet, attributeTypes.eapMessage).length > 0;

/** Goes one step further in a conversation by EAP. Every way that is not a success ends in a refusal. */
export async function answerEap(needs: Needs, request: RadiusCall): Promise<Response> {
  const { packet, provider, call } = request;
  const message = Buffer.concat(valuesOf(packet, attributeTypes.eapMessage));
  const response = readEapResponse(message);
  if (!response) return reject;
  const [state] = valuesOf(packet, attributeTypes.state);
  if (!state) {
    const [method] = methodsOf(provider);
    if (response.type !== eapTypes.identity || method === undefined) return refuse(response.id);
    const session = needs.sessions.open(call.request.clientIp, provider.pk, method);
    if (!session) return refuse(response.id);
    session.id = (response.id + 1) & 0xff;
    return challenge(session, startFragment);
  }
  const session = needs.sessions.resume(state, call.request.clientIp, provider.pk, message.length);
  if (!session || response.id !== session.id) return refuse(response.id);
  session.id = (session.id + 1) & 0xff;
  const next =
    response.type === eapTypes.nak
      ? tryOther(request, session, response.data)
      : await goOn(needs, request, session, response);
  if (next.code !== codes.accessChallenge) needs.sessions.end(session);
  return next;
}

/** The device names the types that it would rather have. */
function tryOther({ provider }: RadiusCall, session: EapSession, wanted: Buffer): Response {
  const other = methodsOf(provider).find((type) => wanted.includes(type) && !session.tried.has(type));
  if (session.tunnel || other === undefined) return refuse(session.id);
  session.method = other;
  session.tried.add(other);
  return challenge(session, startFragment);
}

async function goOn(
  needs: Needs,
  request: RadiusCall,
  session: EapSession,
  response: { readonly type: number; readonly data: Buffer },
): Promise<Response> {
  const fragment = response.type === session.method ? readTlsFragment(response.data) : null;
  if (!fragment) return refuse(session.id);
  if (session.outgoing.length > 0) return fragment.data.length === 0 ? sendNext(session) : refuse(session.id);
  if (fragment.data.length === 0) return finish(needs, request, session);
  session.incoming.push(Buffer.from(fragment.data));
  if (fragment.hasMore) return challenge(session, emptyFragment);
  const incoming = Buffer.concat(session.incoming);
  session.incoming = [];
  if (!session.tunnel) {
    const { call, provider } = request;
    const pair = await findEapPair(call.db.read, needs.key.box, provider.pk, session.method);
    if (!pair) return refuse(session.id);
    session.tunnel = openTunnel(pair);
  }
  const received = await session.tunnel.receive(incoming);
  if (!received) return refuse(session.id);
  if (received.data.length > 0)
    return session.method === eapTypes.ttls ? byPassword(needs, request, session, received.data) : refuse(session.id);
  const flight = await withSuccess(session, received.flight);
  if (!flight || flight.length === 0) return refuse(session.id);
  session.outgoing = fragmentsOf(flight);
  return sendNext(session);
}

/** After a flight of TLS 1.3 that shows a verified certificate, EAP-TLS confirms that (RFC 9190, section 2.1.1). */
async function withSuccess({ method, tunnel }: EapSession, flight: Buffer): Promise<Buffer | null> {
  if (method !== eapTypes.tls || !tunnel?.isTls13()) return flight;
  const success = tunnel.peerName() === null ? null : await tunnel.send(Buffer.of(0));
  return success && Buffer.concat([flight, success]);
}

function sendNext(session: EapSession): Response {
  const [next = emptyFragment, ...rest] = session.outgoing;
  session.outgoing = rest;
  return challenge(session, next);
}

/** The device has nothing to add: by EAP-TLS, its certificate says who it is. */
async function finish(needs: Needs, request: RadiusCall, session: EapSession): Promise<Response> {
  const name = session.method === eapTypes.tls ? session.tunnel?.peerName() : null;
  const user = name ? await userOfCertificate(request.call, name) : null;
  return user ? letIn(needs, request, session, user) : refuse(session.id);
}

async function byPassword(needs: Needs, request: RadiusCall, session: EapSession, data: Buffer): Promise<Response> {
  const avps = readAvps(data);
  const username = textOf(avps?.get(attributeTypes.userName) ?? null);
  const padded = avps?.get(attributeTypes.userPassword);
  const password = textOf(padded ? withoutPadding(padded) : null);
  if (username === null || password === null) return refuse(session.id);
  const user = await userOfPassword(needs, request, username, password);
  return user ? letIn(needs, request, session, user) : refuse(session.id);
}

async function letIn(
  needs: Needs,
  request: RadiusCall,
  session: EapSession,
  user: Parameters<typeof accept>[2],
): Promise<Response> {
  const accepted = await accept(needs, request, user);
  if (accepted.code !== codes.accessAccept || !session.tunnel) return refuse(session.id);
  const key = session.tunnel.exportMasterKey(session.method);
  return {
    code: codes.accessAccept,
    attributes: [...inEap(encodeEapEnd(true, session.id)), ...mppeKeys(request, key), ...accepted.attributes],
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

const refuse = (id: number): Response => ({ code: codes.accessReject, attributes: inEap(encodeEapEnd(false, id)) });

const inEap = (message: Buffer): Attribute[] =>
  Array.from({ length: Math.ceil(message.length / maxValueLength) }, (_, at) => ({
    type: attributeTypes.eapMessage,
    value: message.subarray(at * maxValueLength, (at + 1) * maxValueLength),
  }));
