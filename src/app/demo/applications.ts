import { storeConsent } from '../../core/consent/consent.ts';
import { randomText } from '../../platform/random.ts';
import { storeAccessToken, storeAuthorizationCode, storeRefreshToken } from '../../provider/grants.ts';
import type { Shown } from './demo-api.ts';
import type { DemoWorld } from './demo-world.ts';
import { type DemoPeople, inDays } from './people.ts';
import type { DemoPolicies } from './policies.ts';

/** An administrator too sees only the applications they may use, unless they ask for all. */
const whoeverMay = { superuser_full_list: 'true' };
const scope = ['openid', 'profile', 'email'];

/** An application that people sign in to, what it was granted, and a directory that they are copied to. */
export async function makeApplications(demo: DemoWorld, people: DemoPeople, policies: DemoPolicies): Promise<void> {
  const { api } = demo;
  const mapping = await api.ensure(
    '/propertymappings/provider/scope/',
    { name: 'Demo: scope nickname' },
    { scope_name: 'nickname', expression: 'return { nickname: request.user.attributes.nickname ?? null };' },
  );
  const { results: flows } = await api.get('/flows/instances/?designation=authorization');
  const [authorization] = flows as Shown[];
  const { results: scopes } = await api.get('/propertymappings/provider/scope/?page_size=100');
  const wiki = await api.ensure(
    '/providers/oauth2/',
    { name: 'Demo Wiki' },
    {
      authorization_flow: authorization?.pk,
      redirect_uris: [{ matching_mode: 'strict', url: 'https://wiki.example.com/callback' }],
      property_mappings: [...(scopes as Shown[]).map(({ pk }) => pk), mapping.pk],
    },
  );
  const directory = await makeDirectory(demo, people);
  const application = await api.ensure(
    '/core/applications/',
    { slug: 'demo-wiki' },
    {
      name: 'Demo Wiki',
      provider: wiki.pk,
      backchannel_providers: [directory.pk],
      group: 'Demo',
      meta_launch_url: 'https://wiki.example.com/',
      meta_description: 'What the demo company knows',
    },
    whoeverMay,
  );
  await api.ensure(
    '/core/applications/',
    { slug: 'demo-handbook' },
    { name: 'Demo Handbook', group: 'Demo', meta_launch_url: 'https://handbook.example.com/' },
    whoeverMay,
  );
  await api.ensure('/policies/bindings/', { target: application.pk, policy: policies.officeHours.pk }, { order: 0 });
  await grant(demo, people, wiki, application);
  await tellOfSignIn(demo, people, application);
}

/** The event that the application's first use would have left. */
async function tellOfSignIn({ api }: DemoWorld, { ada }: DemoPeople, application: Shown): Promise<void> {
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

async function makeDirectory({ api }: DemoWorld, { ada, company }: DemoPeople): Promise<Shown> {
  const { results: mappings } = await api.get('/propertymappings/provider/workspace_directory/');
  const provider = await api.ensure(
    '/providers/workspace_directory/',
    { name: 'Demo Directory' },
    {
      delegated_subject: 'admin@example.com',
      credentials: {
        type: 'service_account',
        client_email: 'demo@example.com',
        private_key: 'none: this is demo data',
      },
      default_group_email_domain: 'example.com',
      property_mappings: (mappings as Shown[]).map(({ pk }) => pk),
    },
  );
  const link = { provider: provider.pk };
  await api.ensure('/providers/workspace_directory_users/', { google_id: 'demo-ada', ...link }, { user: ada.pk });
  await api.ensure(
    '/providers/workspace_directory_groups/',
    { google_id: 'demo-company', ...link },
    { group: company.pk },
  );
  return provider;
}

/** What signing in to the application would have left behind. Nobody ever sees these tokens: only hashes are stored. */
async function grant(demo: DemoWorld, { ada, session }: DemoPeople, wiki: Shown, application: Shown): Promise<void> {
  const { api, world, now, once } = demo;
  const { preview: idToken } = await api.get(`/providers/oauth2/${wiki.pk}/preview_user/?for_user=${ada.pk}`);
  const owner = { provider: Number(wiki.pk), user: Number(ada.pk) };
  const shared = { ...owner, session, scope, now, authTime: now };
  const token = () => ({ ...shared, token: randomText(60), idToken: (idToken ?? {}) as Shown });
  await once('oauth2_access_tokens', owner, (tx) =>
    storeAccessToken(tx, world.key, { ...token(), expires: inDays(now, 1) }),
  );
  await once('oauth2_refresh_tokens', owner, (tx) =>
    storeRefreshToken(tx, world.key, { ...token(), expires: inDays(now, 30) }),
  );
  await once('oauth2_authorization_codes', owner, (tx) =>
    storeAuthorizationCode(tx, world.key, {
      ...shared,
      code: randomText(60),
      redirectUri: 'https://wiki.example.com/callback',
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
