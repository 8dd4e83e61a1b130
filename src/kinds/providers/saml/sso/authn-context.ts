import type { RequestedContext } from '../../../../lib/saml/read-authn-request.ts';

const prefix = 'urn:oasis:names:tc:SAML:2.0:ac:classes:';
const unspecified = `${prefix}unspecified`;
const password = `${prefix}Password`;
const passwordOverTls = `${prefix}PasswordProtectedTransport`;
const deviceAlone = `${prefix}MobileOneFactorContract`;
const twoFactors = `${prefix}MobileTwoFactorContract`;

/** From the weakest to the strongest. */
const ranks = [unspecified, password, passwordOverTls, deviceAlone, twoFactors];

/** Authentication contexts by the `amr` of a session (RFC 8176), the strongest first. */
function classesOf(amr: readonly string[]): string[] {
  if (amr.length === 0) return [unspecified];
  if (!amr.includes('pwd')) return [deviceAlone, unspecified];
  const ofPassword = [passwordOverTls, password, unspecified];
  return amr.includes('mfa') ? [twoFactors, ...ofPassword] : ofPassword;
}

/**
 * The requested authentication context that the session satisfies; null if none (SAML core,
 * section 3.3.2.2.1). Without RequestedAuthnContext, the strongest is returned.
 */
export function authnContextOf(amr: readonly string[], wanted: RequestedContext | null): string | null {
  const held = classesOf(amr);
  const [strongest = unspecified] = held;
  if (wanted === null) return strongest;
  const { comparison, classes } = wanted;
  if (comparison === 'exact') return classes.find((name) => held.includes(name)) ?? null;
  const named = classes.map((name) => ranks.indexOf(name)).filter((rank) => rank >= 0);
  const rankOf = (name: string) => ranks.indexOf(name);
  const fits: Record<typeof comparison, (rank: number) => boolean> = {
    minimum: (rank) => named.some((other) => rank >= other),
    better: (rank) => named.length > 0 && named.every((other) => rank > other),
    maximum: (rank) => named.some((other) => rank <= other),
  };
  return held.find((name) => fits[comparison](rankOf(name))) ?? null;
}
