import { sql } from 'kysely';
import { loadUserFacts } from '../../../core/mapping/user-facts.ts';
import type { DeviceKind, FactorInput, Proof } from '../../../flow/devices/device-kind.ts';
import { loadDevices } from '../../../flow/devices/load-devices.ts';
import { rememberedText } from '../../../flow/executor/stage-kind.ts';
import { isJsonObject, type Json } from '../../../lib/json.ts';
import { json } from '../../../resource/fields/structured.ts';
import { modelFacts } from '../../../resource/write/audit.ts';
import { authenticatorWebauthnStage } from './authenticator-webauthn.resource.ts';
import { assertionOptions, checkAssertion, newChallenge } from './ceremony.ts';
import { isAllowedType } from './device-types.ts';
import { relyingParty } from './relying-party.ts';
import { type WebauthnDevice, webauthnDevices } from './webauthn-device.ts';

interface Dependencies {
  readonly config: { readonly publicUrl: string };
}

const wrong: Proof = { complaint: 'This device could not be verified. Please try again.' };
const whichever = '-1';

/** Verification by a passkey or a security key. If no user is identified yet, the key identifies them. */
export function webauthnFactor({ config }: Dependencies): DeviceKind<WebauthnDevice> {
  return {
    deviceClass: 'webauthn',
    deviceResources: webauthnDevices,
    setupStage: authenticatorWebauthnStage.model,
    // RFC 8176: not `hwk`, since anybody can issue the certificate by which a key would be bound to hardware.
    methods: () => ['pop', 'user'],
    proof: { webauthn: json({ nullable: true, default: null }) },
    isUnguessable: true,
    async challenges(ground) {
      const { step, user } = ground;
      const devices = usable(ground);
      if (user !== null && devices.length === 0) return [];
      const party = relyingParty(config.publicUrl, step.call.request);
      const kept = rememberedText(step, 'webauthn', newChallenge);
      const challenge = await assertionOptions(party, devices, verificationOf(ground), kept);
      const last_used = devices.map((device) => device.last_used).reduce(later, null);
      return [{ device_class: 'webauthn', device_uid: whichever, challenge, last_used }];
    },
    prove: (ground, given) => prove(config.publicUrl, ground, given),
  };
}

async function prove(publicUrl: string, ground: FactorInput<WebauthnDevice>, given: Json): Promise<Proof> {
  const { call, memory } = ground.step;
  const challenge = memory.webauthn;
  // Each challenge accepts one response, right or wrong.
  delete memory.webauthn;
  const id = isJsonObject(given) ? given.id : null;
  if (typeof challenge !== 'string' || typeof id !== 'string') return wrong;
  const device = await deviceWith(ground, id);
  const owner = device && (ground.user ?? (await loadUserFacts(call.db.read, device.user)));
  if (!device || !owner?.is_active) return wrong;
  const party = relyingParty(publicUrl, call.request);
  const expected = { device, owner, userVerification: verificationOf(ground), challenge };
  const signCount = await checkAssertion(party, expected, given);
  if (signCount === null) return wrong;
  if (!isAllowedType(allowedBy(ground), vouchedType(device)))
    return { complaint: 'Devices of this model are not allowed here.' };
  if (await use(ground, device, signCount)) return { device };
  await reportCopy(ground, device);
  return wrong;
}

/** Finds the credential among the flow's user's devices, or among all devices if there is no user yet. */
async function deviceWith(
  { step, user, devices }: FactorInput<WebauthnDevice>,
  id: string,
): Promise<WebauthnDevice | null> {
  if (user !== null) return devices.find(({ credential_id }) => credential_id === id) ?? null;
  const column = webauthnDevices.own.row().col('credential_id');
  const [found] = await loadDevices<WebauthnDevice>(step, webauthnDevices, sql`${column} = ${id}`);
  return found ?? null;
}

/** Stores the signature counter. Returns false if it did not increase; devices without a counter always report 0. */
async function use(
  { step: { call } }: FactorInput<WebauthnDevice>,
  { pk }: WebauthnDevice,
  signCount: number,
): Promise<boolean> {
  const isHigher = signCount === 0 ? sql`sign_count = 0` : sql`sign_count < ${signCount}`;
  const { rows } = await call.db.write((tx) =>
    sql`update device_webauthn set sign_count = ${signCount} where pk = ${pk} and ${isHigher} returning pk`.execute(tx),
  );
  return rows.length > 0;
}

/** Two devices signing with one key mean that the key was cloned: report it. */
async function reportCopy({ step: { call } }: FactorInput<WebauthnDevice>, device: WebauthnDevice): Promise<void> {
  const message = 'A WebAuthn device has signed more often than it says. There may be a copy of it.';
  const { own } = webauthnDevices;
  const context = { message, model: modelFacts(own, device.pk, device) };
  await call.db.write((tx) => call.world.record(tx, call, { action: 'suspicious_request', app: own.app, context }));
}

const allowedBy = ({ step }: FactorInput<WebauthnDevice>) => step.settings.webauthn_allowed_device_types;
/** If the key also identifies the user, it replaces the password: possession alone is not enough. */
const verificationOf = ({ step, user }: FactorInput<WebauthnDevice>) =>
  user === null ? 'required' : step.settings.webauthn_user_verification;

const usable = (ground: FactorInput<WebauthnDevice>): WebauthnDevice[] =>
  ground.devices.filter((device) => isAllowedType(allowedBy(ground), vouchedType(device)));

/** A type claimed without attestation does not count. */
const vouchedType = ({ attested, device_type }: WebauthnDevice) => (attested ? device_type : null);

const later = (a: string | null, b: string | null): string | null => (a === null || (b !== null && b > a) ? b : a);
