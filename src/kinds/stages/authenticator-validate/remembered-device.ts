import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import type { Step } from '../../../flow/executor/stage-kind.ts';
import { parseDuration } from '../../../lib/duration.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import { hostCookieName, ownCookieHeader } from '../../../platform/http/own-cookie.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import type { ValidateSettings } from './authenticator-validate-stage.resource.ts';

export interface RememberNeeds {
  readonly key: InstanceKey;
  readonly isSecure: boolean;
}

/** Records that a user verified a device at a stage in this browser. */
interface Remembered {
  readonly user: number;
  readonly stage: string;
  readonly device: number;
  readonly at: string;
}

const purpose = 'second factor shown';
const cookieName = 'gatehouse_mfa';

/** Cookies that let this browser skip the next verification, if the stage allows it. */
export function rememberCookies(
  { key, isSecure }: RememberNeeds,
  step: Step<ValidateSettings>,
  user: number,
  device: number,
): string[] {
  const lengthMs = thresholdOf(step);
  if (lengthMs <= 0) return [];
  const facts: Remembered = { user, stage: step.settings.pk, device, at: step.call.now };
  const text = Buffer.from(JSON.stringify(facts)).toString('base64url');
  const value = `${text}.${key.sign(purpose, text)}`;
  const maxAgeSeconds = Math.ceil(Math.min(lengthMs, maxMs) / 1000);
  return [ownCookieHeader({ name: cookieName, value, isSecure, maxAgeSeconds })];
}

/** Browsers cap cookie lifetimes at 400 days. */
const maxMs = 400 * 86_400_000;

/**
 * The key of the device that this user verified at this stage in this browser. Valid for the stage's current duration
 * and only since the last password change. The caller checks that the user still has the device.
 */
export function rememberedDevice(needs: RememberNeeds, step: Step<ValidateSettings>, user: UserFacts): number | null {
  const { call, settings } = step;
  const facts = readCookie(needs, call.request.cookies[hostCookieName(cookieName, needs.isSecure)] ?? '');
  if (!facts || facts.user !== user.pk || facts.stage !== settings.pk) return null;
  const isFresh = facts.at <= call.now && addMilliseconds(facts.at, thresholdOf(step)) > call.now;
  return isFresh && user.password_change_date <= facts.at ? facts.device : null;
}

function readCookie({ key }: RememberNeeds, value: string): Remembered | null {
  const [text = '', signature = ''] = value.split('.');
  if (!key.verify(purpose, text, signature)) return null;
  return JSON.parse(Buffer.from(text, 'base64url').toString());
}

const thresholdOf = ({ settings }: Step<ValidateSettings>): number =>
  Math.max(0, parseDuration(settings.last_auth_threshold) ?? 0);
