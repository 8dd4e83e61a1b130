import { asObject, type JsonObject } from '../../../lib/json.ts';
import type { GuardedFetch } from '../../../platform/fetch/guarded-fetch.ts';
import { randomToken } from '../../../platform/random.ts';
import type { CallbackResult } from '../../../source/callback-result.ts';
import type { Identity } from '../../../source/properties.ts';
import { buildSourcePath, checkAuthenticatedSince, type RedirectProtocol } from '../../../source/redirect-source.ts';
import { SourceRefusal } from '../../../source/source-refusal.ts';
import { authorizeUrl } from './authorize-url.ts';
import { clientIdOf, clientOf } from './client.ts';
import type { Endpoints } from './endpoints.ts';
import { verifyIdToken } from './id-token.ts';
import { type OAuthSource, oauthConnectionModel, oauthMappingModel, oauthPaths } from './oauth-model.ts';
import { groupsOf, identifierOf, textOf, withholdsGroups } from './oauth-profile.ts';
import { type SessionFacts, sessionFacts } from './oauth-sessions.ts';
import { checkSameSubject, fetchProfile, verifyProfile, withProfile } from './profile.ts';
import type { SourceEndpoints } from './source-endpoints.ts';
import { errorTextOf, redeemCode, refusedByService, type Tokens } from './token-request.ts';
import { rulesOf } from './type-rules.ts';

interface Dependencies extends SourceEndpoints {
  readonly fetch: GuardedFetch;
  readonly config: { readonly publicUrl: string };
}

/** The fields that are read from a form_post response. */
const formMembers = ['code', 'state', 'error', 'error_description', 'iss', 'user'];

/** The state of a pending login. A type, since it is stored. */
type Secrets = {
  readonly verifier: string;
  readonly nonce: string;
  /** When reauthentication was requested; else null. */
  readonly askedAt: string | null;
};

/** The protocol of OAuth 2 and OpenID Connect services: the code flow with PKCE (RFC 6749 §4.1, RFC 7636). */
export function oauthProtocol({ fetch, config, remoteKeys, endpoints }: Dependencies): RedirectProtocol<OAuthSource> {
  const redirectUri = ({ slug }: OAuthSource): string =>
    `${config.publicUrl}${buildSourcePath(oauthPaths.callback, slug)}`;

  /** The profile of a user, and the service's identifiers of the new session. */
  async function profileOf(
    source: OAuthSource,
    to: Endpoints,
    tokens: Tokens,
    { nonce, askedAt }: Secrets,
    now: string,
  ): Promise<{ readonly profile: JsonObject; readonly session?: SessionFacts }> {
    if (!rulesOf(source.provider_type).isOpenId) {
      if (to.profile === null) return { profile: {} };
      return { profile: await fetchProfile(fetch, source, to.profile, tokens.accessToken, null) };
    }
    const expected = { clientId: clientIdOf(source), nonce, accessToken: tokens.accessToken, now };
    const claims = await verifyIdToken(remoteKeys, source, to, tokens.idToken, expected);
    checkAuthTime(source, askedAt, claims);
    const session = sessionFacts(claims, tokens.idToken ?? '');
    if (to.profile === null) return { profile: claims, session };
    const verify = (jwt: string) => verifyProfile(remoteKeys, source, to, jwt, now);
    const profile = await fetchProfile(fetch, source, to.profile, tokens.accessToken, verify);
    checkSameSubject(source, claims, profile);
    return { profile: withProfile(claims, profile), session };
  }

  return {
    paths: oauthPaths,
    mappingModel: oauthMappingModel,
    connectionModel: oauthConnectionModel,
    maxFormBytes: 8_192,
    async handleFormPost(_source, form) {
      return new URLSearchParams([...form].filter(([name]) => formMembers.includes(name)));
    },
    async parseCallback(_source, given) {
      const [state = null, ...others] = given.getAll('state');
      return { content: given, state: others.length > 0 ? null : state };
    },
    async startLogin(source, { state, loginHint, isAgain }, call) {
      const { authorize } = await endpoints(source, call);
      const client = await clientOf(source, call.now);
      const { isOpenId, tellsAuthTime } = rulesOf(source.provider_type);
      const asksAgain = isAgain && isOpenId === true;
      const secrets: Secrets = {
        verifier: randomToken(),
        nonce: randomToken(),
        askedAt: asksAgain ? call.now : null,
      };
      const nonce = isOpenId ? secrets.nonce : null;
      const request = {
        clientId: client.id,
        redirectUri: redirectUri(source),
        state,
        loginHint,
        verifier: secrets.verifier,
        again: asksAgain ? { prompt: 'login', ...(tellsAuthTime && { max_age: '0' }) } : {},
        nonce,
      };
      return { to: authorizeUrl(source, authorize, request), secrets };
    },
    async identifyUser(source, answer, stored, call) {
      const { verifier, nonce, askedAt } = asObject(stored);
      const secrets: Secrets = {
        verifier: textOf(verifier),
        nonce: textOf(nonce),
        askedAt: typeof askedAt === 'string' ? askedAt : null,
      };
      const to = await endpoints(source, call);
      checkIssuer(source, to, answer);
      const code = codeOf(source, answer);
      const client = await clientOf(source, call.now);
      const exchange = { code, client, redirectUri: redirectUri(source), verifier: secrets.verifier };
      const tokens = await redeemCode(fetch, source.name, to, exchange, call.now);
      const { profile, session } = await profileOf(source, to, tokens, secrets, call.now);
      const came = buildCallbackResult(source, { ...profile, ...nameFromForm(source, answer) }, tokens);
      return { ...came, ...(session && { session }) };
    },
  };
}

/** RFC 9207 §2.4: rejects responses of another issuer (mix-up). */
function checkIssuer({ name }: OAuthSource, { discovered }: Endpoints, answer: URLSearchParams): void {
  const [issuer = null, ...others] = answer.getAll('iss');
  if (others.length > 0) throw new SourceRefusal(`The answer from ${name} names its issuer more than once.`);
  if (!discovered || discovered.issuer.includes('{') || issuer === discovered.issuer) return;
  if (issuer === null && !discovered.names_itself) return;
  throw new SourceRefusal(`The answer does not come from ${name}.`);
}

/** Services without `auth_time` are trusted; for others it is checked. */
function checkAuthTime({ name, provider_type }: OAuthSource, askedAt: string | null, { auth_time }: JsonObject): void {
  const at = typeof auth_time === 'number' ? auth_time * 1_000 : null;
  if (at !== null || rulesOf(provider_type).tellsAuthTime) checkAuthenticatedSince(name, askedAt, at);
}

function codeOf({ name }: OAuthSource, answer: URLSearchParams): string {
  const [code, ...others] = answer.getAll('code');
  if (answer.has('error') || !code || others.length > 0) {
    throw refusedByService(name, errorTextOf(answer.get('error_description')) ?? errorTextOf(answer.get('error')));
  }
  return code;
}

/**
 * Apple sends the name once, at the first authorization, and through the browser: unverified, so used for nothing else.
 */
function nameFromForm({ provider_type }: OAuthSource, answer: URLSearchParams): JsonObject {
  const text = answer.get('user');
  if (provider_type !== 'apple' || text === null) return {};
  try {
    const { firstName, lastName } = asObject(asObject(JSON.parse(text)).name);
    const name = [textOf(firstName), textOf(lastName)].filter((part) => part !== '').join(' ');
    return name === '' ? {} : { name };
  } catch {
    // Not worth an error.
    return {};
  }
}

function buildCallbackResult(source: OAuthSource, profile: JsonObject, tokens: Tokens): CallbackResult {
  const person = rulesOf(source.provider_type).person(profile);
  const identifier = identifierOf(person.id);
  if (identifier === null) throw new SourceRefusal(`${source.name} did not say who you are: could not determine id.`);
  const identity: Identity = {
    identifier,
    username: textOf(person.username),
    // Unverified addresses are not passed on.
    email: person.isEmailConfirmed ? textOf(person.email) : '',
    isEmailConfirmed: person.isEmailConfirmed,
    name: textOf(person.name),
    ...(person.groups !== undefined && groupsOf(person.groups)),
    areGroupsWithheld: withholdsGroups(profile),
    info: { ...profile },
  };
  const { accessToken, refreshToken, expires } = tokens;
  const connectionValues = {
    access_token: accessToken,
    expires,
    // Services that give one out once do not repeat it.
    ...(refreshToken !== null && { refresh_token: refreshToken }),
  };
  return { identity, connectionValues };
}
