import type { AuthorizeRequest } from './authorize/authorize-request.ts';
import type { Claims } from './claims.ts';

type ClaimsParameter = AuthorizeRequest['claims'];

interface StandardClaim {
  /** The scope that brings it (OpenID Connect Core §5.4). */
  readonly scope: string;
  /** The text on the consent page. */
  readonly label: string;
}

const of = (scope: string, labels: Readonly<Record<string, string>>): [string, StandardClaim][] =>
  Object.entries(labels).map(([name, label]) => [name, { scope, label }]);

/** The claims that can be requested individually (OpenID Connect Core §5.1, and the groups). */
const standardClaims: ReadonlyMap<string, StandardClaim> = new Map([
  ...of('profile', {
    name: 'Your full name',
    given_name: 'Your given name',
    family_name: 'Your family name',
    middle_name: 'Your middle name',
    nickname: 'Your nickname',
    preferred_username: 'Your username',
    profile: 'The address of your profile page',
    picture: 'The address of your picture',
    website: 'Your website',
    gender: 'Your gender',
    birthdate: 'Your birthdate',
    zoneinfo: 'Your time zone',
    locale: 'Your language and region',
    updated_at: 'When your profile was last changed',
    groups: 'The groups you are in',
  }),
  ...of('email', { email: 'Your email address', email_verified: 'Whether your email address is verified' }),
  ...of('phone', {
    phone_number: 'Your phone number',
    phone_number_verified: 'Whether your phone number is verified',
  }),
  ...of('address', { address: 'Your postal address' }),
]);

/** The standard claims that these scopes can bring. */
export const claimsOfScopes = (scopes: Iterable<string>): string[] => {
  const known = new Set(scopes);
  return [...standardClaims].filter(([, { scope }]) => known.has(scope)).map(([name]) => name);
};

/** The scopes that bring these claims. */
export const scopesOfClaims = (names: readonly string[]): string[] => [
  ...new Set(names.flatMap((name) => standardClaims.get(name)?.scope ?? [])),
];

/** The standard claims in a part of the `claims` parameter, except those that the scope includes anyway. */
export function claimsBeyondScope(asked: unknown, scope: readonly string[]): string[] {
  if (typeof asked !== 'object' || asked === null) return [];
  return Object.keys(asked).filter((name) => {
    const claim = standardClaims.get(name);
    return claim !== undefined && !scope.includes(claim.scope);
  });
}

/** What the user consents to in addition to the scope. */
export function claimPermissions(
  claims: ClaimsParameter,
  scope: readonly string[],
): { readonly id: string; readonly name: string }[] {
  const names = [claims?.userinfo, claims?.id_token].flatMap((asked) => claimsBeyondScope(asked, scope));
  return [...new Set(names)]
    .sort()
    .map((name) => ({ id: `claim:${name}`, name: standardClaims.get(name)?.label ?? '' }));
}

/**
 * The parameter without the standard claims that the client has no scope for: the user does not consent to them now, so
 * they must not come if the scope is added later.
 */
export function availableClaims(claims: ClaimsParameter, scopes: Iterable<string>): ClaimsParameter {
  if (claims === null) return null;
  const known = [...scopes];
  const parts = Object.entries(claims).map(([part, asked]) => {
    if (typeof asked !== 'object' || asked === null || Array.isArray(asked)) return [part, asked];
    const missing = claimsBeyondScope(asked, known);
    return [part, Object.fromEntries(Object.entries(asked).filter(([name]) => !missing.includes(name)))];
  });
  return Object.fromEntries(parts);
}

/** The claims in a part of the `claims` parameter (OpenID Connect Core §5.5). */
export function pick(claims: Claims, asked: unknown): Claims {
  if (typeof asked !== 'object' || asked === null) return {};
  return Object.fromEntries(Object.entries(claims).filter(([name]) => Object.hasOwn(asked, name)));
}
