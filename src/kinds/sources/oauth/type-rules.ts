import { asObject, type JsonObject } from '../../../lib/json.ts';
import { isTrue, type OAuthProfile } from './oauth-profile.ts';

/** How people sign in with one type of service, beside its addresses (`provider-types.ts`). */
export interface TypeRules {
  readonly scopes: readonly string[];
  /** Further parameters of the request for authorization. */
  readonly params?: Readonly<Record<string, string>>;
  /** Whether it supports OpenID Connect: its ID token is required, and verified. */
  readonly isOpenId?: boolean;
  /**
   * Whether its ID tokens say when the user has authenticated, if that is asked for by `max_age` (OpenID Connect Core
   * §3.1.2.1).
   */
  readonly tellsAuthTime?: boolean;
  /** How we authenticate at the token endpoint: in the header or in the body, never both. */
  readonly clientAuth: 'basic' | 'post';
  /** Further parameters of the request for the profile. */
  readonly profileParams?: Readonly<Record<string, string>>;
  /** Where the addresses of the person are listed, below the profile's own address. */
  readonly emailsPath?: string;
  person(profile: JsonObject): OAuthProfile;
}

/** OpenID Connect Core §5.1 */
const claims = (profile: JsonObject): OAuthProfile => ({
  id: profile.sub ?? profile.id,
  username: profile.preferred_username,
  email: profile.email,
  isEmailConfirmed: isTrue(profile.email_verified),
  name: profile.name,
});

const openId: TypeRules = {
  scopes: ['openid', 'email', 'profile'],
  isOpenId: true,
  tellsAuthTime: true,
  clientAuth: 'basic',
  person: (profile) => ({
    ...claims(profile),
    username: profile.nickname ?? profile.preferred_username,
    groups: profile.groups,
  }),
};

const rules: Readonly<Record<string, TypeRules>> = {
  apple: {
    scopes: ['name', 'email'],
    params: { response_mode: 'form_post' },
    isOpenId: true,
    clientAuth: 'post',
    person: (profile) => ({ ...claims(profile), id: profile.sub, username: profile.email }),
  },
  openidconnect: openId,
  okta: openId,
  azuread: {
    scopes: ['openid', 'https://graph.microsoft.com/User.Read'],
    isOpenId: true,
    clientAuth: 'post',
    person(profile) {
      const email = profile.mail ?? (Array.isArray(profile.otherMails) ? profile.otherMails[0] : undefined);
      return {
        id: profile.id ?? profile.sub,
        username: profile.userPrincipalName,
        email,
        // Tenant administrators can set any address; only this claim proves that the domain of `email` is theirs.
        isEmailConfirmed: [true, 1, '1'].some((yes) => yes === profile.xms_edov) && email === profile.email,
        name: profile.displayName,
      };
    },
  },
  discord: {
    scopes: ['email', 'identify'],
    params: { prompt: 'none' },
    clientAuth: 'basic',
    person: ({ id, username, email, verified }) => ({
      ...{ id, username, email, name: username },
      isEmailConfirmed: verified === true,
    }),
  },
  facebook: {
    scopes: ['email'],
    clientAuth: 'post',
    // It verifies no addresses.
    person: ({ id, name, email }) => ({ id, username: name, email, name, isEmailConfirmed: false }),
  },
  github: {
    scopes: ['read:user', 'user:email'],
    clientAuth: 'post',
    emailsPath: '/emails',
    person: ({ id, login, name, email, email_verified }) => ({
      ...{ id, username: login, email, name },
      isEmailConfirmed: email_verified === true,
    }),
  },
  gitlab: {
    scopes: ['read_user', 'openid', 'profile', 'email'],
    isOpenId: true,
    tellsAuthTime: true,
    clientAuth: 'post',
    person: (profile) => ({ ...claims(profile), username: profile.preferred_username ?? profile.nickname }),
  },
  google: {
    scopes: ['openid', 'email', 'profile'],
    isOpenId: true,
    clientAuth: 'post',
    // It has no user names, only addresses: users choose a name at enrolment.
    person: (profile) => ({ ...claims(profile), username: undefined }),
  },
  mailcow: {
    scopes: ['profile'],
    clientAuth: 'post',
    // It is the mail server of these addresses.
    person: ({ id, full_name, email }) => ({ id, username: full_name, email, name: full_name, isEmailConfirmed: true }),
  },
  // Any service without OpenID Connect. A username is no identifier: at some services it can be changed, then reused.
  oauth2: {
    scopes: [],
    clientAuth: 'basic',
    person: (profile) => ({
      ...claims(profile),
      username: profile.preferred_username ?? profile.username ?? profile.login,
    }),
  },
  patreon: {
    scopes: ['identity', 'identity[email]'],
    clientAuth: 'post',
    profileParams: { 'fields[user]': 'email,full_name,is_email_verified,vanity' },
    person({ data }) {
      const { id, attributes } = asObject(data);
      const { vanity, email, full_name, is_email_verified } = asObject(attributes);
      return { id, username: vanity, email, name: full_name, isEmailConfirmed: is_email_verified === true };
    },
  },
  reddit: {
    scopes: ['identity'],
    params: { duration: 'permanent' },
    clientAuth: 'basic',
    person: ({ id, name }) => ({ id, username: name, name, isEmailConfirmed: false }),
  },
  twitch: {
    scopes: ['openid', 'user:read:email'],
    params: {
      claims:
        '{"id_token":{"email":null,"email_verified":null},"userinfo":{"email":null,"email_verified":null,"preferred_username":null}}',
    },
    isOpenId: true,
    clientAuth: 'post',
    person: (profile) => ({ ...claims(profile), id: profile.sub, name: profile.preferred_username }),
  },
  twitter: {
    scopes: ['users.read', 'tweet.read'],
    clientAuth: 'basic',
    person({ data }) {
      const { id, username, name } = asObject(data);
      return { id, username, name, isEmailConfirmed: false };
    },
  },
};

export const rulesOf = (type: string): TypeRules => rules[type] ?? openId;
