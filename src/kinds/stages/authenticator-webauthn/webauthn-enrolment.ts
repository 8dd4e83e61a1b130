import { sql } from 'kysely';
import { brandTitle } from '../../../core/brand/brand-title.ts';
import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import { enrol, findEnrollee } from '../../../flow/devices/enrol.ts';
import { devicesOf } from '../../../flow/devices/load-devices.ts';
import { pendingUserMembers, pendingUserSchemas } from '../../../flow/executor/pending-user.ts';
import {
  ask,
  defineStageKind,
  deny,
  type Move,
  rememberedText,
  type StageKind,
  type Step,
  stay,
} from '../../../flow/executor/stage-kind.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import { message, type UserText, verbatim } from '../../../lib/texts/message.ts';
import type { Query } from '../../../platform/db/database.ts';
import type { UserAgent, UserAgentParser } from '../../../platform/user-agent.ts';
import { json } from '../../../resource/fields/structured.ts';
import type { RowOf } from '../../../resource/resource.ts';
import { authenticatorWebauthnStage } from './authenticator-webauthn.resource.ts';
import {
  checkRegistration,
  type NewCredential,
  newChallenge,
  type RegistrationPolicy,
  registrationOptions,
} from './ceremony.ts';
import { deviceTypeResource, unknownDevices } from './device-type.resource.ts';
import { type DeviceType, findDeviceType, isAllowedType } from './device-types.ts';
import { relyingParty } from './relying-party.ts';
import { type WebauthnDevice, webauthnDevices } from './webauthn-device.ts';

type Settings = RowOf<typeof authenticatorWebauthnStage>;

interface Dependencies {
  readonly config: { readonly publicUrl: string };
  readonly userAgents: UserAgentParser;
}

const maxAttempts = 5;
const failed = 'This device could not be registered. Please try again.';
const taken = 'This device is registered already.';

export function webauthnEnrolment(needs: Dependencies): StageKind {
  const { publicUrl } = needs.config;
  return defineStageKind({
    resource: authenticatorWebauthnStage,
    resources: [deviceTypeResource],
    component: 'xak-stage-authenticator-webauthn',
    roles: () => ['needs user', 'sets up device'],
    challenge: { ...pendingUserSchemas, registration: { type: 'object', additionalProperties: true } },
    answer: { response: json() },
    show: (step) => show(publicUrl, step),
    verifyRegistration: (step, { response }) => judge(needs, step, response),
  });
}

async function show(publicUrl: string, step: Step<Settings>): Promise<Move> {
  const enrolling = await findEnrollee(step);
  if ('refusal' in enrolling) return deny(enrolling.refusal);
  const { call } = step;
  const party = { ...relyingParty(publicUrl, call.request), name: await brandTitle(call.request.host, call.db.read) };
  const registered = await devicesOf<WebauthnDevice>(step, webauthnDevices, enrolling.user.pk);
  const challenge = rememberedText(step, 'challenge', newChallenge);
  const registration = await registrationOptions(party, enrolling.user, registered, wantedBy(step), challenge);
  return ask({ ...(await pendingUserMembers(step)), registration });
}

async function judge({ config, userAgents }: Dependencies, step: Step<Settings>, given: JsonObject): Promise<Move> {
  const enrolling = await findEnrollee(step);
  if ('refusal' in enrolling) return deny(enrolling.refusal);
  const { call, memory } = step;
  const challenge = rememberedText(step, 'challenge', newChallenge);
  // Each challenge accepts one response, right or wrong.
  delete memory.challenge;
  const complaint = complaintAboutClaims(given, wantedBy(step));
  const party = relyingParty(config.publicUrl, call.request);
  const credential = complaint ? null : await checkRegistration(party, wantedBy(step), challenge, given);
  if (!credential) return retry(step, complaint ?? failed);
  const type = await findDeviceType(call.db.read, credential.aaguid);
  const refusal = refusalOfType(allowedBy(step), credential, type);
  if (refusal) return retry(step, refusal);
  if (await isTaken(call.db.read, credential.id)) return retry(step, taken);
  const name = nameOf(step, type, userAgents.parse(call.request.userAgent));
  return register(step, enrolling.user, { credential, type, name });
}

interface NewPasskey {
  readonly credential: NewCredential;
  readonly type: DeviceType | null;
  readonly name: string;
}

function register(step: Step<Settings>, user: UserFacts, { credential, type, name }: NewPasskey): Move {
  const values = {
    name: name.slice(0, 200),
    device_type: type?.aaguid ?? null,
    aaguid: credential.aaguid,
    attested: credential.isAttested,
    credential_id: credential.id,
    public_key: credential.publicKey,
    sign_count: credential.signCount,
    transports: credential.transports,
  };
  return enrol(step, webauthnDevices, user, values);
}

/** The model, else the browser: a name for the kind would be the same for all passkeys of a person. */
function nameOf({ settings }: Step<Settings>, type: DeviceType | null, { user_agent, os }: UserAgent): string {
  if (type !== null && type.aaguid !== unknownDevices) return type.description;
  if (user_agent.family === 'Other') return settings.friendly_name ?? 'WebAuthn device';
  return os.family === 'Other' ? user_agent.family : `${user_agent.family} (${os.family})`;
}

/** Stays with an error message, for a limited number of attempts. */
function retry({ memory }: Pick<Step, 'memory'>, complaint: UserText): Move {
  const attempts = Number(memory.attempts ?? 0) + 1;
  memory.attempts = attempts;
  return attempts < maxAttempts
    ? stay({ response: [complaint] })
    : deny(message('{text} That was the last attempt.', { text: verbatim(complaint) }));
}

/** Checks what the browser claims about the new key. It may lie, but an honest one lets us give a helpful error. */
function complaintAboutClaims(given: JsonObject, { residentKey, attachment }: RegistrationPolicy): UserText | null {
  const { authenticatorAttachment, clientExtensionResults } = given;
  if (attachment && typeof authenticatorAttachment === 'string' && authenticatorAttachment !== attachment)
    return attachment === 'platform'
      ? 'Please use this device, not another one.'
      : 'Please use a separate device, not this one.';
  const properties = isJsonObject(clientExtensionResults) && clientExtensionResults.credProps;
  const isNotKept = isJsonObject(properties) && properties.rk === false;
  return residentKey === 'required' && isNotKept ? 'This device cannot keep the key itself.' : null;
}

/** A device without attestation counts as unknown, whatever type it claims. */
function refusalOfType(
  allowed: readonly string[],
  { isAttested }: NewCredential,
  type: DeviceType | null,
): UserText | null {
  if (isAllowedType(allowed, isAttested ? type : null)) return null;
  if (!isAttested) return 'This device does not report its model. Please use one that is allowed here.';
  if (!type) return 'This model of device is not allowed here. Please use one that is.';
  return message('“{device}” is not allowed here. Please use one that is.', { device: type.description });
}

async function isTaken(query: Query, credentialId: string): Promise<boolean> {
  const { rows } = await sql`select 1 from device_webauthn where credential_id = ${credentialId}`.execute(query);
  return rows.length > 0;
}

const allowedBy = ({ settings }: Step<Settings>): readonly string[] => settings.device_type_restrictions;

const wantedBy = (step: Step<Settings>): RegistrationPolicy => ({
  userVerification: step.settings.user_verification,
  residentKey: step.settings.resident_key_requirement,
  attachment: step.settings.authenticator_attachment,
  attestation: allowedBy(step).length > 0,
});
