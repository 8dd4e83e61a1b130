import { randomBytes } from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  AuthenticatorAttachment,
  RegistrationResponseJSON,
  ResidentKeyRequirement,
  UserVerificationRequirement,
} from '@simplewebauthn/server';
import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import { isJsonObject, type Json } from '../../../lib/json.ts';
import type { RelyingParty } from './relying-party.ts';
import type { WebauthnDevice } from './webauthn-device.ts';

/** Requirements on a device at registration. */
export interface RegistrationPolicy {
  readonly userVerification: UserVerificationRequirement;
  readonly residentKey: ResidentKeyRequirement;
  readonly attachment: AuthenticatorAttachment | null;
  /** Whether the device must attest its model. */
  readonly attestation: boolean;
}

/** A credential that a device has created. */
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

// Loaded on first use: loading takes a quarter of a second, which startup need not wait for.
const library = () => import('@simplewebauthn/server');

/** Characters of a member of a response. Chains of certificates take less than a tenth. */
const maxMember = 65_536;
/** WebAuthn §4: bytes of a credential id. */
const maxCredentialId = 1_023;

export const newChallenge = (): string => randomBytes(32).toString('base64url');
const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(base64url, 'base64url'));

/** The user handle of discoverable credentials. It reveals nothing about the user. */
const handleOf = ({ uuid }: Pick<UserFacts, 'uuid'>): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(uuid));

export async function registrationOptions(
  party: RelyingParty & { readonly name: string },
  user: UserFacts,
  registered: readonly WebauthnDevice[],
  policy: RegistrationPolicy,
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
    attestationType: policy.attestation ? 'direct' : 'none',
    excludeCredentials: registered.map(describe),
    authenticatorSelection: {
      userVerification: policy.userVerification,
      residentKey: policy.residentKey,
      ...(policy.attachment && { authenticatorAttachment: policy.attachment }),
    },
    supportedAlgorithmIDs: algorithms,
  });
  return { ...options };
}

/** Verifies a registration response; null if anything about it is wrong. */
export async function checkRegistration(
  party: RelyingParty,
  policy: RegistrationPolicy,
  challenge: string,
  given: Json,
): Promise<NewCredential | null> {
  if (!isBounded(given)) return null;
  const { verifyRegistrationResponse } = await library();
  // Untrusted input: the library validates each member and throws.
  const response = given as unknown as RegistrationResponseJSON;
  const result = await orNull(() =>
    verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: policy.userVerification === 'required',
      supportedAlgorithmIDs: algorithms,
    }),
  );
  if (!result?.verified) return null;
  const { credential, aaguid, attestationObject } = result.registrationInfo;
  // The library verifies the credential id that the device signed; the browser must have sent the same one.
  if (credential.id !== response.id || bytesOf(credential.id).length > maxCredentialId) return null;
  const { transports } = response.response;
  return {
    id: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    signCount: credential.counter,
    transports: Array.isArray(transports)
      ? knownTransports.filter((name) => transports.some((one) => one === name))
      : [],
    aaguid,
    isAttested: (await orNull(() => isAttested(attestationObject))) ?? false,
  };
}

/** Whether a manufacturer's certificate vouches for the key. Self-attestation can claim any model. */
async function isAttested(attestationObject: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  return decodeAttestationObject(attestationObject).get('attStmt').get('x5c') !== undefined;
}

/** Options for an assertion with one of these credentials; without any, with a discoverable credential. */
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

interface ExpectedAssertion {
  readonly device: WebauthnDevice;
  readonly owner: Pick<UserFacts, 'uuid'>;
  readonly userVerification: UserVerificationRequirement;
  readonly challenge: string;
}

/**
 * Verifies an assertion for this device and owner. Returns the device's signature counter, or null if it is invalid.
 */
export async function checkAssertion(
  party: RelyingParty,
  { device, owner, userVerification, challenge }: ExpectedAssertion,
  given: Json,
): Promise<number | null> {
  if (!isBounded(given)) return null;
  const { verifyAuthenticationResponse } = await library();
  // Untrusted input: the library validates each member and throws.
  const response = given as unknown as AuthenticationResponseJSON;
  const result = await orNull(() =>
    verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      // The counter is compared where the device is used, so that a rollback can be distinguished from an invalid
      // signature.
      credential: { id: device.credential_id, publicKey: bytesOf(device.public_key), counter: 0 },
      requireUserVerification: userVerification === 'required',
    }),
  );
  if (!result?.verified || response.id !== device.credential_id) return null;
  const { userHandle } = response.response;
  const isOwners = !userHandle || userHandle === Buffer.from(handleOf(owner)).toString('base64url');
  return isOwners ? result.authenticationInfo.newCounter : null;
}

/** Parsing takes time with the length. */
const isBounded = (given: Json): boolean =>
  isJsonObject(given) &&
  isJsonObject(given.response) &&
  Object.values(given.response).every((member) => typeof member !== 'string' || member.length <= maxMember);

const describe = ({ credential_id, transports }: WebauthnDevice) => ({
  id: credential_id,
  ...(transports.length > 0 && { transports: [...transports] }),
});

/** The library throws on any invalid response; all of that means "no proof". */
async function orNull<T>(check: () => Promise<T>): Promise<T | null> {
  try {
    return await check();
  } catch {
    return null;
  }
}
