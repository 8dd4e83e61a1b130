import type { Page } from 'playwright-core';
import { flowKey, make, signOutHere, whoIsHere } from '../gatehouse.ts';
import { check, checkSoon, isThere, type Scene, signOutThere, visitorClient } from './scene.ts';

const realm = 'people';
const clientSecret = 'the-secret-of-gatehouse-at-keycloak';
const person = { username: 'dana', password: 'the-password-of-dana-at-keycloak' };
const [openId, saml] = ['keycloak-openid', 'keycloak-saml'];

/** Keycloak knows Gatehouse as a client, by OpenID and by SAML; Gatehouse has a source for each. */
export async function setUpSources(scene: Scene): Promise<void> {
  const { api, gatehouse, keycloak } = scene;
  await keycloak.admin('POST', '', {
    realm,
    enabled: true,
    users: [
      {
        ...{ username: person.username, firstName: 'Dana', lastName: 'Vo', enabled: true },
        ...{ email: 'dana@example.com', emailVerified: true },
        credentials: [{ type: 'password', value: person.password, temporary: false }],
      },
    ],
    clients: [
      visitorClient(scene),
      {
        clientId: 'gatehouse',
        secret: clientSecret,
        redirectUris: [`${gatehouse}/source/oauth/callback/${openId}/`],
        attributes: {
          'pkce.code.challenge.method': 'S256',
          'post.logout.redirect.uris': `${gatehouse}/source/oauth/logout/${openId}/`,
        },
      },
    ],
  });
  const flows = {
    authentication_flow: await flowKey(api, 'default-source-authentication'),
    enrollment_flow: await flowKey(api, 'default-source-enrollment'),
  };
  const first = await make(api, '/sources/oauth/', {
    ...{ name: 'Keycloak OpenID', slug: openId, provider_type: 'openidconnect', ...flows },
    ...{ consumer_key: 'gatehouse', consumer_secret: clientSecret },
    oidc_well_known_url: `${keycloak.url}/realms/${realm}/.well-known/openid-configuration`,
  });

  const metadata = await fetch(`${keycloak.url}/realms/${realm}/protocol/saml/descriptor`);
  const second = await make(api, '/sources/saml/import_metadata/', {
    ...{ name: 'Keycloak SAML', slug: saml, metadata: await metadata.text() },
    pre_authentication_flow: await flowKey(api, 'default-source-pre-authentication'),
  });
  const pair = await make(api, '/crypto/certificatekeypairs/generate/', {
    common_name: 'Signs for Keycloak',
    validity_days: 1,
  });
  await make(api, `/sources/saml/${saml}/`, { ...flows, signing_kp: pair.pk }, 'PATCH');
  const ours = await fetch(`${gatehouse}/source/saml/${saml}/metadata/`);
  const client = await keycloak.admin('POST', `/${realm}/client-description-converter`, await ours.text());
  await keycloak.admin('POST', `/${realm}/clients`, client);

  const stages = await api.get('/stages/identification/?name=default-authentication-identification');
  const stage = stages.body.results[0];
  await make(api, `/stages/identification/${stage.pk}/`, { sources: [first.pk, second.pk] }, 'PATCH');
}

async function signIn(page: Page, scene: Scene, name: string): Promise<string> {
  await page.goto(`${scene.gatehouse}/if/flow/default-authentication-flow/`);
  await page.getByRole('link', { name: `Continue with ${name}` }).click();
  await page.locator('#username').fill(person.username);
  await page.locator('#password').fill(person.password);
  await page.locator('#kc-login').click();
  await page.waitForURL('**/if/user/');
  // A page that still asks something after the session has ended would go to the sign-in page by itself.
  await page.waitForLoadState('networkidle');
  const who = await whoIsHere(page, scene);
  check(who !== null, `${name} lets Dana in`);
  return who ?? '';
}

/** Unlinks the account and links it again. */
async function relink(page: Page, { gatehouse }: Scene, name: string): Promise<void> {
  const disconnect = page.getByRole('button', { name: `Disconnect ${name}` });
  await page.goto(`${gatehouse}/if/user/connections/`);
  await disconnect.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
  await page.getByRole('link', { name: `Connect ${name}` }).click();
  await page.getByRole('button', { name: `Connect ${name}` }).click();
  await disconnect.waitFor();
  await page.waitForLoadState('networkidle');
}

export async function throughOpenId(scene: Scene): Promise<void> {
  const page = await scene.window();
  const who = await signIn(page, scene, 'Keycloak OpenID');
  check(who === person.username, 'the username is that of Keycloak');
  await relink(page, scene, 'Keycloak OpenID');
  await signOutHere(page, scene);
  check((await whoIsHere(page, scene)) === null, 'signing out ends the session here');
  check(!(await isThere(page, scene, realm)), 'signing out here ends the session at Keycloak');
  check((await signIn(page, scene, 'Keycloak OpenID')) === who, 'the same account comes back');
}

export async function throughSaml(scene: Scene): Promise<void> {
  const page = await scene.window();
  const who = await signIn(page, scene, 'Keycloak SAML');
  await relink(page, scene, 'Keycloak SAML');
  await signOutHere(page, scene);
  check((await whoIsHere(page, scene)) === null, 'signing out ends the session here');
  check(!(await isThere(page, scene, realm)), 'signing out here ends the session at Keycloak');

  check((await signIn(page, scene, 'Keycloak SAML')) === who, 'the same account comes back');
  await signOutThere(page, scene, realm);
  await checkSoon(async () => (await whoIsHere(page, scene)) === null, 'signing out at Keycloak ends the session here');
}
