import type { Page } from 'playwright-core';
import { processPassword } from '../../../test/support/gatehouse-process.ts';
import { flowKey, make, signOutHere, whoIsHere } from '../gatehouse.ts';
import {
  arrivedThere,
  check,
  checkSoon,
  isThere,
  type Scene,
  signInPage,
  signOutThere,
  visitorClient,
} from './scene.ts';

const realm = 'staff';
const [openId, saml] = ['gatehouse-openid', 'gatehouse-saml'];

const endpointOf = ({ keycloak }: Scene, alias: string): string =>
  `${keycloak.url}/realms/${realm}/broker/${alias}/endpoint`;

/** A realm of Keycloak signs people in with Gatehouse, by OpenID and by SAML. */
export async function setUpBrokers(scene: Scene): Promise<void> {
  await scene.keycloak.admin('POST', '', { realm, enabled: true, clients: [visitorClient(scene)] });
  await setUpOpenId(scene);
  await setUpSaml(scene);
}

/** What Keycloak makes of the configuration that we publish. */
const imported = ({ keycloak }: Scene, providerId: string, fromUrl: string) =>
  keycloak.admin('POST', `/${realm}/identity-provider/import-config`, { providerId, fromUrl });

const addBroker = ({ keycloak }: Scene, alias: string, providerId: string, config: Record<string, string>) =>
  keycloak.admin('POST', `/${realm}/identity-provider/instances`, {
    ...{ alias, displayName: alias, providerId, enabled: true, trustEmail: true },
    config,
  });

const attributes = {
  username: 'http://schemas.gatehouse/2021/02/saml/username',
  email: 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
};

/** What Keycloak reads from our assertions. */
const addMapper = ({ keycloak }: Scene, identityProviderMapper: string, config: Record<string, string>) =>
  keycloak.admin('POST', `/${realm}/identity-provider/instances/${saml}/mappers`, {
    ...{ name: identityProviderMapper, identityProviderAlias: saml, identityProviderMapper },
    config: { syncMode: 'INHERIT', ...config },
  });

async function setUpOpenId(scene: Scene): Promise<void> {
  const { api, gatehouse, keycloak } = scene;
  const endpoint = endpointOf(scene, openId);
  const provider = await make(api, '/providers/oauth2/', {
    name: openId,
    authorization_flow: await flowKey(api, 'default-provider-authorization-implicit-consent'),
    redirect_uris: [{ matching_mode: 'strict', url: endpoint }],
    post_logout_redirect_uris: [{ matching_mode: 'strict', url: `${endpoint}/logout_response` }],
    backchannel_logout_uri: `${keycloak.url}/realms/${realm}/protocol/openid-connect/logout/backchannel-logout`,
  });
  await make(api, '/core/applications/', { name: openId, slug: openId, provider: provider.pk });
  const config = await imported(scene, 'oidc', `${gatehouse}/application/o/${openId}/.well-known/openid-configuration`);
  await addBroker(scene, openId, 'oidc', {
    ...config,
    ...{ clientId: provider.client_id, clientSecret: provider.client_secret, clientAuthMethod: 'client_secret_basic' },
    ...{ pkceEnabled: 'true', pkceMethod: 'S256', defaultScope: 'openid profile email' },
  });
}

async function setUpSaml(scene: Scene): Promise<void> {
  const { api, gatehouse } = scene;
  // Keycloak publishes the metadata of a broker once it exists, and we publish ours once the application does.
  const endpoint = endpointOf(scene, saml);
  const provider = await make(api, '/providers/saml/', {
    name: saml,
    authorization_flow: await flowKey(api, 'default-provider-authorization-implicit-consent'),
    ...{ acs_url: endpoint, audience: `${scene.keycloak.url}/realms/${realm}` },
    ...{ sls_url: endpoint, sls_binding: 'post', logout_method: 'frontchannel' },
  });
  await make(api, '/core/applications/', { name: saml, slug: saml, provider: provider.pk });
  // Keycloak follows no redirects, and the address below the application's slug is one.
  const config = await imported(scene, 'saml', `${gatehouse}/api/v3/providers/saml/${provider.pk}/metadata/?download`);
  await addBroker(scene, saml, 'saml', { ...config, wantAuthnRequestsSigned: 'true', validateSignature: 'true' });
  await addMapper(scene, 'saml-username-idp-mapper', { template: `\${ATTRIBUTE.${attributes.username}}` });
  await addMapper(scene, 'saml-user-attribute-idp-mapper', {
    ...{ 'attribute.name': attributes.email, 'user.attribute': 'email' },
  });
  const descriptor = await fetch(`${endpoint}/descriptor`);
  const [, certificate = ''] = /<[^>]*X509Certificate>([^<]+)</.exec(await descriptor.text()) ?? [];
  const lines = certificate.replace(/\s/g, '').match(/.{1,64}/g) ?? [];
  const pair = await make(api, '/crypto/certificatekeypairs/', {
    name: 'The certificate of Keycloak',
    certificate_data: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  });
  await make(api, `/providers/saml/${provider.pk}/`, { verification_kp: pair.pk }, 'PATCH');
}

/** Signs in to Keycloak with a new account here. */
async function signIn(page: Page, scene: Scene, alias: string, username: string): Promise<void> {
  await page.goto(signInPage(scene, realm));
  await page.locator(`#social-${alias}`).click();
  await page.getByLabel('Email address or username').fill(username);
  await page.keyboard.press('Enter');
  await page.getByLabel('Password', { exact: true }).fill(processPassword);
  await page.keyboard.press('Enter');
}

async function throughBroker(scene: Scene, alias: string): Promise<void> {
  const username = `ada-${alias}`;
  const { pk } = await make(scene.api, '/core/users/', {
    ...{ username, name: 'Ada Example', email: `${username}@example.com`, type: 'internal' },
  });
  await make(scene.api, `/core/users/${pk}/set_password/`, { password: processPassword });
  const page = await scene.window();
  await signIn(page, scene, alias, username);
  await page.waitForURL(/\/realms\/master\?|\/first-broker-login/);
  if (!arrivedThere.test(page.url())) {
    // Keycloak asks for what it was not told.
    await page.locator('#firstName').fill('Ada');
    await page.locator('#lastName').fill('Example');
    await page.locator('input[type=submit]').click();
    await page.waitForURL(arrivedThere);
  }
  check(await isThere(page, scene, realm), 'Keycloak has signed Ada in');
  const [found] = await scene.keycloak.admin('GET', `/${realm}/users?username=${username}&exact=true`);
  check(found !== undefined, 'Keycloak knows Ada by the username that she has here');

  await signOutThere(page, scene, realm);
  check(!(await isThere(page, scene, realm)), 'signing out at Keycloak ends the session there');
  check((await whoIsHere(page, scene)) === null, 'signing out at Keycloak ends the session here');

  await signIn(page, scene, alias, username);
  await page.waitForURL(arrivedThere);
  check((await whoIsHere(page, scene)) === username, 'Ada is signed in here again');
  await signOutHere(page, scene);
  check((await whoIsHere(page, scene)) === null, 'signing out here ends the session here');
  await checkSoon(async () => !(await isThere(page, scene, realm)), 'signing out here ends the session at Keycloak');
}

export const brokeredByOpenId = (scene: Scene): Promise<void> => throughBroker(scene, openId);
export const brokeredBySaml = (scene: Scene): Promise<void> => throughBroker(scene, saml);
