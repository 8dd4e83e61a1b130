import { randomBytes } from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  AuthenticatorAttachment,
  RegistrationResponseJSON,
  ResidentKeyRequirement,
  UserVerificationRequirement,
} from '@simplewebauthn/server';
import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import type { Json } from '../../../lib/json.ts';
import type { RelyingParty } from './relying-party.ts';
import type { WebauthnDevice } from './webauthn-device.ts';

/** What a registration asks of a device. */
export interface RegistrationPolicy {
  readonly userVerification: UserVerificationRequirement;
  readonly residentKey: ResidentKeyRequirement;
  readonly attachment: AuthenticatorAttachment | null;
  /** Whether the device must say of what make it is. */
  readonly attestation: boolean;
}

/** A key that a device has made for somebody here. */
export interface NewCredential {
  readonly id: string;
  readonly publicKey: string;
  readonly signCount: number;
  readonly transports: readonly string[];
  readonly aaguid: string;
  readonly isAttested: boolean;
}

type Options = Readonly<Record<string, unknown>>;

const es256 = -7;
const eddsa = -8;
const rs256 = -257;
const algorithms = [es256, eddsa, rs256];
const knownTransports = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

// Loaded when first needed: it takes a quarter of a second that a start need not wait for.
const library = () => import('@simplewebauthn/server');

export const newChallenge = (): string => randomBytes(32).toString('base64url');
const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(base64url, 'base64url'));

/** By what a discoverable key names its owner; says nothing about them. */
const handleOf = ({ uuid }: Pick<UserFacts, 'uuid'>): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(uuid));

/** What the browser is given to make a key with. */
export async function registrationOptions(
  party: RelyingParty & { readonly name: string },
  user: UserFacts,
  known: readonly WebauthnDevice[],
  wanted: RegistrationPolicy,
  challenge: string,
): Promise<Options> {
  const { generateRegistrationOptions } = await library();
  const options = await generateRegistrationOptions({
    rpName: party.name,
    rpID: party.id,
    userID: handleOf(user),
    userName: user.username,
    userDisplayName: user.name || user.username,
    challenge: bytesOf(challenge),
    attestationType: wanted.attestation ? 'direct' : 'none',
    excludeCredentials: known.map(describe),
    authenticatorSelection: {
      userVerification: wanted.userVerification,
      residentKey: wanted.residentKey,
      ...(wanted.attachment && { authenticatorAttachment: wanted.attachment }),
    },
    supportedAlgorithmIDs: algorithms,
  });
  return { ...options };
}

/** The key in an answer to these options; null when anything about it is wrong. */
export async function checkRegistration(
  party: RelyingParty,
  wanted: RegistrationPolicy,
  challenge: string,
  given: Json,
): Promise<NewCredential | null> {
  const { verifyRegistrationResponse } = await library();
  // Whatever it is: the library checks each member, and throws.
  const response = given as unknown as RegistrationResponseJSON;
  const result = await orNull(() =>
    verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: wanted.userVerification === 'required',
      supportedAlgorithmIDs: algorithms,
    }),
  );
  if (!result?.verified) return null;
  const { credential, aaguid, attestationObject } = result.registrationInfo;
  // The library checks the key under the name that the device signed; the browser must have meant the same one.
  if (credential.id !== response.id) return null;
  const { transports } = response.response;
  return {
    id: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    signCount: credential.counter,
    transports: Array.isArray(transports)
      ? knownTransports.filter((name) => transports.some((one) => one === name))
      : [],
    aaguid,
    isAttested: await isAttested(attestationObject),
  };
}

/** Whether a maker's certificate stands behind the key. A device that signs for itself can call itself anything. */
async function isAttested(attestationObject: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  return decodeAttestationObject(attestationObject).get('attStmt').get('x5c') !== undefined;
}

/** What the browser is given to prove that one of these keys is at hand; with none, whichever it has for us. */
export async function assertionOptions(
  party: RelyingParty,
  devices: readonly WebauthnDevice[],
  userVerification: UserVerificationRequirement,
  challenge: string,
): Promise<Options> {
  const { generateAuthenticationOptions } = await library();
  const options = await generateAuthenticationOptions({
    rpID: party.id,
    allowCredentials: devices.map(describe),
    challenge: bytesOf(challenge),
    userVerification,
  });
  return { ...options };
}

/** How often this device says it has signed, in an answer that it signed for this owner; null when it did not. */
export async function checkAssertion(
  party: RelyingParty,
  device: WebauthnDevice,
  owner: Pick<UserFacts, 'uuid'>,
  userVerification: UserVerificationRequirement,
  challenge: string,
  given: Json,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await library();
  // Whatever it is: the library checks each member, and throws.
  const response = given as unknown as AuthenticationResponseJSON;
  const result = await orNull(() =>
    verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      // The count is compared where the device is used, so that going back can be told from a wrong signature.
      credential: { id: device.credential_id, publicKey: bytesOf(device.public_key), counter: 0 },
      requireUserVerification: userVerification === 'required',
    }),
  );
  if (!result?.verified || response.id !== device.credential_id) return null;
  const { userHandle } = response.response;
  const isOwners = !userHandle || userHandle === Buffer.from(handleOf(owner)).toString('base64url');
  return isOwners ? result.authenticationInfo.newCounter : null;
}

const describe = ({ credential_id, transports }: WebauthnDevice) => ({
  id: credential_id,
  ...(transports.length > 0 && { transports: [...transports] }),
});

/** The library throws for whatever is wrong with an answer: whatever it throws, the answer is no proof. */
async function orNull<T>(check: () => Promise<T>): Promise<T | null> {
  try {
    return await check();
  } catch {
    return null;
  }
}
