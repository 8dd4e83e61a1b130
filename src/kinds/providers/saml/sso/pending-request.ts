import type { RequestedContext } from '../../../../lib/saml/read-authn-request.ts';
import { addMilliseconds } from '../../../../platform/clock.ts';
import type { SecretBox } from '../../../../platform/keys.ts';

/** A pending request, while the user signs in. A type, since it is stored as JSON. */
export type PendingRequest = {
  readonly provider: number;
  /** Null for IdP-initiated logins. */
  readonly id: string | null;
  /** The claimed issuer; null without one. */
  readonly issuer: string | null;
  /** Where the service provider wants its response; null where it did not say. */
  readonly consumerUrl: string | null;
  readonly relayState: string | null;
  readonly nameIdFormat: string | null;
  readonly forceAuthn: boolean;
  readonly isPassive: boolean;
  readonly requestedContext: RequestedContext | null;
  /** When the person was sent to sign in for it. */
  readonly sentAt: string | null;
};

const sealedAs = 'saml request';
/** As long as a walk through a flow may take. */
const lifetimeMs = 30 * 60_000;

/**
 * The request, sealed into a URL. Anonymous requests store nothing, and each tab has its own request; it cannot
 * write one but this server, which has checked it.
 */
export const sealPending = (box: SecretBox, pending: PendingRequest, now: string): string =>
  box.seal(JSON.stringify({ pending, expires: addMilliseconds(now, lifetimeMs) }), sealedAs);

/** Null for what this server did not write, or too long ago. */
export function openPending(box: SecretBox, sealed: string, now: string): PendingRequest | null {
  try {
    const { pending, expires } = JSON.parse(box.open(sealed, sealedAs));
    return expires > now ? pending : null;
  } catch {
    // Opening throws for values that this server did not seal.
    return null;
  }
}
