import { deepEqual, equal, notDeepEqual, ok } from 'node:assert/strict';
import type { BrowserContext, Page } from 'playwright-core';
import { identityHeaders } from '../../src/kinds/providers/proxy/header-names.ts';
import type { Setup } from '../../web/admin/applications/forward-auth/setup.ts';
import type { Api } from './api.ts';
import { freePort } from './free-port.ts';
import { protect } from './protected-host.ts';
import { type ProtectingKind, sendTo, startProtecting } from './protecting-proxy.ts';
import { signInOn, signOutOn, whoIs } from './sign-in-page.ts';
import type { UpstreamApp } from './upstream-app.ts';

export const modes = ['forward_single', 'forward_domain', 'proxy'] as const;

/** A server of ours behind a public address, and an application that a proxy protects by it. */
export interface ProtectionScene {
  readonly server: { readonly url: string; readonly admin: Api };
  readonly upstream: UpstreamApp;
  /** A window of a new visitor, whose paths begin at the public address. */
  window(): Promise<Page>;
}

const password = 'a long enough password for Ada';
const folded = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '-');

/** The headers of the last request for a path, as they came. */
function receivedFor({ upstream }: ProtectionScene, path: string): [name: string, value: string][] {
  const { headers } = upstream.requests.findLast(({ url }) => url === path) ?? { headers: [] };
  return Array.from({ length: headers.length / 2 }, (_, at) => [
    folded(headers[2 * at] ?? ''),
    headers[2 * at + 1] ?? '',
  ]);
}

const cookiesOf = async (context: BrowserContext, url: string) =>
  (await context.cookies(url)).map(({ name, value }) => `${name}=${value}`).join('; ');

const webSocket = {
  ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** All that clients may claim to be, in the spellings that proxies and applications take for the same. */
const claims = Object.fromEntries(
  identityHeaders
    .flatMap((name) => [
      name,
      name.toUpperCase(),
      name.replaceAll('-', '_'),
      name.replaceAll('-', '.'),
      name.replace('-', '_'),
      name.toLowerCase().replace(/-(?=[^-]*$)/, '_'),
    ])
    .map((name) => [name, 'admin']),
);

const withoutDots = Object.fromEntries(Object.entries(claims).filter(([name]) => !name.includes('.')));

/** The claims that a proxy removes; requests with others are refused. */
const removedBy = ({ leavesDots }: ProtectingKind, mode: Visit['mode']) =>
  leavesDots && mode !== 'proxy' ? withoutDots : claims;

const forwardedFor = (app: URL) => ({
  'X-Forwarded-Host': 'evil.example',
  'X-Forwarded-Uri': '/public/',
  'X-Original-URL': `${app.origin}/outpost.gatehouse/start`,
  'X-Original-URI': '/outpost.gatehouse/start',
  'X-Rewrite-URL': '/admin',
});

/** A visit to an application by a user who has a page there. */
interface Visit {
  readonly scene: ProtectionScene;
  readonly kind: ProtectingKind;
  readonly mode: (typeof modes)[number];
  readonly app: URL;
  readonly user: { readonly pk: number; readonly username: string };
  readonly page: Page;
}

/** A proxy with the configuration that the administration shows protects an application; throws where it does not. */
export async function checkProtection(scene: ProtectionScene, kind: ProtectingKind, mode: Visit['mode']) {
  const { server, upstream } = scene;
  const port = await freePort();
  const domain = `${kind.name.toLowerCase()}.localhost`;
  const address = (name: string) => `http://${name}.${domain}:${port}`;
  const app = new URL(address(mode.replace('_', '-')));
  const signInAt = mode === 'forward_domain' ? new URL(address('auth')) : null;
  await protect(server, {
    mode,
    external_host: (signInAt ?? app).origin,
    ...(mode === 'forward_domain' && { cookie_domain: domain }),
    ...(mode === 'proxy' && { internal_host: upstream.url }),
  });
  const setup: Setup = {
    ...{ mode, application: app, signIn: signInAt },
    ...{ gatehouse: new URL(server.url).host, upstream: new URL(upstream.url).host },
  };
  const stop = await startProtecting(kind, setup);
  try {
    const username = `ada-${kind.name}-${mode}`.toLowerCase();
    const { body: user } = await server.admin.post('/core/users/', { username, name: 'Zoë 田中' });
    await server.admin.post(`/core/users/${user.pk}/set_password/`, { password });
    const visit: Visit = { scene, kind, mode, app, user, page: await scene.window() };
    await checkSignIn(visit);
    await checkClaims(visit);
    await checkRefusals(visit, address);
    await checkPrograms(visit);
    await checkSignOut(visit);
  } finally {
    await stop();
  }
}

/** Signs in, and comes back to where the person wanted to be. The WebSocket gets through, too. */
async function checkSignIn({ scene, mode, app, user, page }: Visit): Promise<void> {
  const path = `/${mode}/page?a=b%20c`;
  await page.goto(app.origin + path);
  await signInOn(page, user.username, password);
  await page.getByRole('heading', { name: 'The application' }).waitFor();
  equal(page.url(), app.origin + path);
  await page.getByText('It says hello').waitFor();
  const received = Object.fromEntries(receivedFor(scene, path));
  equal(received['x-gatehouse-username'], user.username);
  equal(received['remote-user'], user.username);
  equal(Buffer.from(received['remote-name'] ?? '', 'latin1').toString('utf8'), 'Zoë 田中');
  equal(received['x-gatehouse-jwt']?.split('.').length, 3);
  equal(received.host, app.host);
}

/** Whatever a client claims to be, in whatever spelling, is replaced. */
async function checkClaims({ scene, kind, mode, app, user, page }: Visit): Promise<void> {
  const cookie = await cookiesOf(page.context(), app.origin);
  const authorization = 'Bearer of-the-application';
  const headers = { ...forwardedFor(app), authorization, cookie, connection: 'close, Remote-User' };
  const address = `${app.origin}/${mode}/claims`;
  if (removedBy(kind, mode) !== claims) {
    const before = scene.upstream.requests.length;
    equal((await sendTo(address, { ...claims, ...headers })).status, 403);
    equal(scene.upstream.requests.length, before);
  }
  equal((await sendTo(address, { ...removedBy(kind, mode), ...headers })).status, 200);
  const claimed = receivedFor(scene, `/${mode}/claims`);
  const identity = claimed.filter(([name]) => /^(?:x-gatehouse|remote)-/.test(name));
  deepEqual(
    identity.filter(([, value]) => value === 'admin'),
    [],
  );
  const named = (wanted: string) => claimed.filter(([name]) => name === wanted);
  deepEqual(named('remote-user'), [['remote-user', user.username]]);
  deepEqual(
    claimed.filter(([name]) => /^x-(?:original|rewrite)-/.test(name)),
    [],
  );
  deepEqual(named('authorization'), [['authorization', authorization]]);
  const names = identity.map(([name]) => name);
  deepEqual(names, [...new Set(names)]);
}

/** Requests without a session are refused, and reach nothing. */
async function checkRefusals(
  { scene: { server, upstream }, kind, mode, app, page }: Visit,
  address: (name: string) => string,
): Promise<void> {
  // Requests of scripts and programs are refused with the address of the sign-in.
  const before = upstream.requests.length;
  for (const method of ['GET', 'POST']) {
    const headers = { 'sec-fetch-mode': 'cors', accept: '*/*', 'content-length': '0' };
    const claimed = { ...removedBy(kind, mode), ...forwardedFor(app) };
    const refused = await sendTo(`${app.origin}/api/data`, { ...claimed, ...headers }, method);
    deepEqual([method, refused.status], [method, 401]);
    ok(JSON.parse(refused.text).sign_in.includes('/outpost.gatehouse/start?rd='), refused.text);
  }
  equal((await sendTo(`${app.origin}/echo`, webSocket)).status, 401);
  equal((await sendTo(`${app.origin}/`, { accept: 'text/html' })).status, 302);
  const tricks = ['/outpost.gatehouse/../x', '//outpost.gatehouse/x', '/Outpost.gatehouse/x', '/%6futpost.gatehouse/x'];
  for (const trick of tricks)
    notDeepEqual([trick, (await sendTo(app.origin + trick, { accept: '*/*' })).status], [trick, 200]);
  equal(upstream.requests.length, before);

  // Nor does a client that claims to come for another application, which is open to all.
  const open = [address(`open-${mode.replace('_', '-')}`), `http://${app.hostname}:1`];
  for (const external_host of open) await protect(server, { external_host, skip_path_regex: '^/' });
  const [other = '', samePlace = ''] = open.map((url) => new URL(url).host);
  for (const host of [samePlace, `${app.host},${other}`, `${samePlace},${other}`, `${other}, ${app.host}`]) {
    await sendTo(`${app.origin}/${mode}/other`, { host, accept: '*/*' });
    deepEqual([host, upstream.requests.length], [host, before]);
  }

  // Clients read no answers to checks, which are for the application alone.
  const cookie = await cookiesOf(page.context(), app.origin);
  for (const name of ['nginx', 'traefik', 'caddy', 'haproxy', 'envoy/']) {
    const asked = { cookie, 'X-Original-URL': `${app.origin}/`, 'X-Forwarded-Uri': '/' };
    const read = await sendTo(`${app.origin}/outpost.gatehouse/auth/${name}`, asked);
    deepEqual([name, read.headers['x-gatehouse-jwt']], [name, undefined]);
  }
}

/** A program brings an app password, which the application does not get. */
async function checkPrograms({ scene, kind, mode, app, user }: Visit): Promise<void> {
  const { admin } = scene.server;
  const identifier = `${kind.name}-${mode}`;
  await admin.post('/core/tokens/', { identifier, intent: 'app_password', user: user.pk });
  const { key } = (await admin.get(`/core/tokens/${identifier}/view_key/`)).body;
  const authorization = `Basic ${Buffer.from(`${user.username}:${key}`).toString('base64')}`;
  equal((await sendTo(`${app.origin}/${mode}/program`, { authorization })).status, 200);
  const brought = Object.fromEntries(receivedFor(scene, `/${mode}/program`));
  deepEqual([brought['remote-user'], brought.authorization ?? ''], [user.username, '']);
}

async function checkSignOut({ app, user, page }: Visit): Promise<void> {
  // Signing out here ends the application's session at once.
  const cookie = await cookiesOf(page.context(), app.origin);
  equal((await sendTo(`${app.origin}/echo`, { ...webSocket, cookie })).status, 101);
  await signOutOn(page);
  await page.getByLabel('Email address or username').waitFor();
  equal((await sendTo(`${app.origin}/`, { accept: 'text/html', cookie })).status, 302);
  equal((await sendTo(`${app.origin}/api/data`, { accept: '*/*', cookie })).status, 401);

  // Signing out of the application ends everything.
  await page.goto(app.origin);
  await signInOn(page, user.username, password);
  await page.getByText('It says hello').waitFor();
  equal(await whoIs(page), user.username);
  await page.goto(`${app.origin}/outpost.gatehouse/sign_out`);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Email address or username').waitFor();
  equal(await whoIs(page), null);
  await page.goto(app.origin);
  await page.getByLabel('Email address or username').waitFor();
}
