import type { Kind } from '../../core/kind/kind.ts';
import type { UserFacts } from '../../core/mapping/user-facts.ts';
import type { Json } from '../../lib/json.ts';
import type { Fields } from '../../resource/fields/field.ts';
import { text } from '../../resource/fields/text.ts';
import type { NoFields, StoredRow } from '../../resource/read/stored-row.ts';
import type { Step } from '../executor/stage-kind.ts';
import type { StageSettings } from '../stage.family.ts';
import type { DeviceFields, DeviceResources } from './device.family.ts';

/** A stored device: the members of its resource, secrets in clear. */
export type Device = StoredRow<DeviceFields, NoFields, 'int'>;

/** What the screen shows of a usable device. */
export interface DeviceChallenge {
  readonly device_class: string;
  /** The device's key, or -1 for any device of the class. */
  readonly device_uid: string;
  readonly challenge: Readonly<Record<string, unknown>>;
  readonly last_used: string | null;
}

/** The settings of the validation stage that concern device kinds. */
export type FactorSettings = StageSettings & {
  webauthn_user_verification: 'required' | 'preferred' | 'discouraged';
  webauthn_allowed_device_types: readonly string[];
};

/** The input of a device kind. */
export interface FactorInput<D = Device> {
  /** Each class stores what it needs in `memory` under its own name. */
  readonly step: Step<FactorSettings>;
  /** The flow's user; null if the device is to identify the user (sign-in without a name). */
  readonly user: UserFacts | null;
  /** The user's confirmed devices of this class. */
  readonly devices: readonly D[];
}

export type Proof = { readonly device: Device } | { readonly complaint: string };

/** A kind of second factor: how people prove that they hold it. Enrolment is a separate stage. */
export interface DeviceKind<D = Device> extends Kind {
  /** Its name in settings and screens. */
  readonly deviceClass: string;
  readonly deviceResources: DeviceResources<D>;
  /** The model of the stage that enrols one. */
  readonly setupStage: string;
  /** The authentication methods that a proof counts as (RFC 8176). */
  methods(device: D): readonly string[];
  /** The member of an answer that contains its proof. Kinds may share one. */
  readonly proof: Fields;
  /** Cannot be guessed, so attempts are counted by network only: otherwise attackers could lock users out. */
  readonly isUnguessable?: boolean;
  /** A fallback, offered after the others. */
  readonly isBackup?: boolean;
  /**
   * One for each method of verification. Called for every screen, so it must not change existing members of `memory`.
   */
  challenges(ground: FactorInput<D>): Promise<readonly DeviceChallenge[]>;
  /** The user has chosen this device: sends its code, if it needs one. Returns an error message, or null. */
  choose?(ground: FactorInput<D>, device: D): Promise<string | null>;
  /**
   * Verifies a proof; the attempt is already counted. Consumes a valid proof exactly once, in its own transaction, even
   * under concurrent requests. Must never accept a device of another user.
   */
  prove(ground: FactorInput<D>, given: Json): Promise<Proof>;
}

export const codeProof: Fields = { code: text({ nullable: true, default: null, max: 64, writeOnly: true }) };

/** One challenge per device, for classes that need only a code. */
export const plainChallenges = (deviceClass: string, devices: readonly Device[]): readonly DeviceChallenge[] =>
  devices.map(({ pk, last_used }) => ({
    device_class: deviceClass,
    device_uid: String(pk),
    challenge: {},
    last_used,
  }));
