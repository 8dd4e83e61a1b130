import { MappingFailed } from '../../../../core/mapping/evaluate.ts';
import { loadUserFacts, type UserFacts } from '../../../../core/mapping/user-facts.ts';
import { dictionary } from '../../../../lib/radius/dictionary.ts';
import { attributeTypes, codes, decryptPassword, type Response, valuesOf } from '../../../../lib/radius/packet.ts';
import { readableValues } from '../../../../lib/radius/values.ts';
import { maxPasswordLength } from '../../../../platform/passwords.ts';
import { provePassword } from '../../../../provider/password-server/prove-password.ts';
import { admits } from '../../../../provider/password-server/served-application.ts';
import type { ServerNeeds } from '../../../../provider/password-server/server-needs.ts';
import { isStorable } from '../../../../resource/fields/well-formed.ts';
import { mapAttributes, recordFailure } from '../attributes.ts';
import { radiusApp } from '../radius-model.ts';
import type { RadiusCall } from './radius-call.ts';

export const reject: Response = { code: codes.accessReject, attributes: [] };
const maxNameLength = 254;

/** Answers a request. Every way that is not a success ends in a refusal. */
export async function answerPap(needs: ServerNeeds, request: RadiusCall): Promise<Response> {
  const { packet, provider } = request;
  const username = textOf(only(valuesOf(packet, attributeTypes.userName)));
  const hidden = only(valuesOf(packet, attributeTypes.userPassword));
  const password = textOf(hidden && decryptPassword(hidden, provider.secret, packet.authenticator));
  if (username === null || password === null) return reject;
  const user = await userOfPassword(needs, request, username, password);
  return user ? accept(needs, request, user) : reject;
}

/** The active user whose name and password these are; null if they are wrong. */
export async function userOfPassword(
  needs: ServerNeeds,
  { call, provider }: RadiusCall,
  username: string,
  password: string,
): Promise<UserFacts | null> {
  if (username === '' || username.length > maxNameLength || !isStorable(username)) return null;
  if (password === '' || password.length > maxPasswordLength || !isStorable(password)) return null;
  const proven = await provePassword(needs, call, provider, { app: radiusApp, outpost: 'radius', username, password });
  const user = proven && (await loadUserFacts(call.db.read, proven.user));
  return user?.is_active ? user : null;
}

/** Lets a user in whom the policies of the application let in, with the attributes of the mappings. */
export async function accept(
  needs: ServerNeeds,
  { call, packet, provider }: RadiusCall,
  user: UserFacts,
): Promise<Response> {
  if (!(await admits(needs, call, provider.pk, user))) return reject;
  try {
    const attributes = mapAttributes(needs.sandbox, provider, user, {
      packet: readableValues(packet, dictionary),
      secret: provider.secret,
      authenticator: packet.authenticator,
    });
    return { code: codes.accessAccept, attributes };
  } catch (error) {
    if (!(error instanceof MappingFailed)) throw error;
    await recordFailure(call, user, error);
    return reject;
  }
}

const only = (values: readonly Buffer[]): Buffer | null => (values.length === 1 ? (values[0] ?? null) : null);

export function textOf(bytes: Buffer | null): string | null {
  if (bytes === null) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
