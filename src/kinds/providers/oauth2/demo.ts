import { storeConsent } from '../../../core/consent/consent.ts';
import type { Demo, DemoObject } from '../../../core/kind/demo.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import { randomText } from '../../../platform/random.ts';
import type { DemoProvider } from '../../../provider/provider-kind.ts';
import { storeAccessToken, storeAuthorizationCode, storeRefreshToken } from './grants.ts';

const scope = ['openid', 'profile', 'email'];
const callback = 'https://wiki.example.com/callback';
const dayMs = 86_400_000;
const inDays = (now: string, days: number) => addMilliseconds(now, days * dayMs);

/** A wiki with a provider, and its tokens. */
export async function oauth2Demo(demo: Demo): Promise<DemoProvider> {
  const { api } = demo;
  const mapping = await api.ensure(
    '/propertymappings/provider/scope/',
    { name: 'Demo: scope nickname' },
    { scope_name: 'nickname', expression: 'return { nickname: request.user.attributes.nickname ?? null };' },
  );
  const flows = await api.list('/flows/instances/?designation=authorization');
  const [authorization] = flows;
  const scopes = await api.list('/propertymappings/provider/scope/?page_size=100');
  const provider = await api.ensure(
    '/providers/oauth2/',
    { name: 'Demo Wiki' },
    {
      authorization_flow: authorization?.pk,
      redirect_uris: [{ matching_mode: 'strict', url: callback }],
      property_mappings: [...scopes.map(({ pk }) => pk), mapping.pk],
    },
  );
  return {
    provider,
    application: {
      slug: 'demo-wiki',
      name: 'Demo Wiki',
      meta_launch_url: 'https://wiki.example.com/',
      meta_description: 'What the demo company knows',
    },
    async use(application) {
      await grant(demo, provider, application);
      await tellOfSignIn(demo, application);
    },
  };
}

/** The tokens that a login would have created. Only hashes are stored. */
async function grant(demo: Demo, provider: DemoObject, application: DemoObject): Promise<void> {
  const { api, key, now, once, people } = demo;
  const { ada, session } = people;
  const { preview } = await api.get(`/providers/oauth2/${provider.pk}/preview_user/?for_user=${ada.pk}`);
  const owner = { provider: Number(provider.pk), user: Number(ada.pk) };
  const shared = { ...owner, session, scope, now, authTime: now };
  // The preview is a JSON object.
  const token = () => ({ ...shared, token: randomText(60), idToken: (preview ?? {}) as DemoObject });
  await once('oauth2_access_tokens', owner, (tx) => storeAccessToken(tx, key, { ...token(), expires: inDays(now, 1) }));
  await once('oauth2_refresh_tokens', owner, (tx) =>
    storeRefreshToken(tx, key, { ...token(), expires: inDays(now, 30) }),
  );
  await once('oauth2_authorization_codes', owner, (tx) =>
    storeAuthorizationCode(tx, key, {
      ...shared,
      code: randomText(60),
      redirectUri: callback,
      nonce: '',
      codeChallenge: '',
      codeChallengeMethod: '',
      expires: inDays(now, 1),
    }),
  );
  const consent = { user: owner.user, application: String(application.pk), scopes: scope };
  await once('user_consents', { user: consent.user, application: consent.application }, (tx) =>
    storeConsent(tx, consent, inDays(now, 28)),
  );
}

/** The event of a first use of the application. */
async function tellOfSignIn({ api, people }: Demo, application: DemoObject): Promise<void> {
  const { ada } = people;
  const model = { app: 'svc_core', model_name: 'application', pk: application.pk, name: application.name };
  await api.ensure(
    '/events/events/',
    { action: 'authorize_application', app: 'svc_providers_oauth2' },
    {
      user: { pk: ada.pk, username: ada.username, email: ada.email },
      client_ip: '192.0.2.10',
      context: { authorized_application: model, scopes: scope.join(' '), message: 'Demo: Ada opened the wiki.' },
    },
    { username: String(ada.username) },
  );
}
