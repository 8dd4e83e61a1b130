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
  /** When the stage requires verification again; missing in cookies of earlier releases. */
  readonly until?: string;
}

const purpose = 'second factor shown';
const cookieName = 'gatehouse_mfa';
/** Of one browser: for each user and stage the last one. */
const maxRemembered = 8;
/** Browsers cap cookie lifetimes at 400 days. */
const maxMs = 400 * 86_400_000;

/** Cookies that let this browser skip the next verification, if the stage allows it. */
export function rememberCookies(
  needs: RememberNeeds,
  step: Step<ValidateSettings>,
  user: number,
  device: number,
): string[] {
  const { key, isSecure } = needs;
  const { now } = step.call;
  const stage = step.settings.pk;
  const lengthMs = Math.min(thresholdOf(step), maxMs);
  if (lengthMs <= 0) return [];
  const others = readCookie(needs, step).filter(
    (one) => !(one.user === user && one.stage === stage) && (one.until ?? now) > now,
  );
  const newest = { user, stage, device, at: now, until: addMilliseconds(now, lengthMs) };
  const all: Remembered[] = [newest, ...others].slice(0, maxRemembered);
  const text = Buffer.from(JSON.stringify(all)).toString('base64url');
  const value = `${text}.${key.sign(purpose, text)}`;
  const lastsMs = Math.max(...all.map(({ until = now }) => Date.parse(until) - Date.parse(now)));
  return [ownCookieHeader({ name: cookieName, value, isSecure, maxAgeSeconds: Math.ceil(lastsMs / 1000) })];
}

/**
 * The key of the device that this user verified at this stage in this browser. Valid for the stage's current duration
 * and only since the last password change. The caller checks that the user still has the device.
 */
export function rememberedDevice(needs: RememberNeeds, step: Step<ValidateSettings>, user: UserFacts): number | null {
  const { call, settings } = step;
  const facts = readCookie(needs, step).find((one) => one.user === user.pk && one.stage === settings.pk);
  if (!facts) return null;
  const isFresh = facts.at <= call.now && addMilliseconds(facts.at, thresholdOf(step)) > call.now;
  return isFresh && user.password_change_date <= facts.at ? facts.device : null;
}

/** Newest first. Earlier releases remembered a single one. */
function readCookie({ key, isSecure }: RememberNeeds, { call }: Step<ValidateSettings>): readonly Remembered[] {
  const value = call.request.cookies[hostCookieName(cookieName, isSecure)] ?? '';
  const [text = '', signature = ''] = value.split('.');
  if (!key.verify(purpose, text, signature)) return [];
  const read: Remembered | Remembered[] = JSON.parse(Buffer.from(text, 'base64url').toString());
  return Array.isArray(read) ? read : [read];
}

const thresholdOf = ({ settings }: Step<ValidateSettings>): number =>
  Math.max(0, parseDuration(settings.last_auth_threshold) ?? 0);
