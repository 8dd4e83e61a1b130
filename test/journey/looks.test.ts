import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { moveTo, visitAdmin } from '../support/admin-visit.ts';
import { axeViolations } from '../support/axe.ts';
import { signInFlow } from '../support/flow-client.ts';
import { describeJourney } from '../support/journey.ts';
import { bindExpression, made, makeWalk, unique } from '../support/make-walk.ts';
import { startScimTarget } from '../support/scim-target.ts';
import { password, personWithPassword } from '../support/second-factor.ts';
import type { TestServer } from '../support/server.ts';
import { localTargets, makeSyncProvider, settled } from '../support/sync.ts';

const target = await startScimTarget();
afterAll(() => target.close());

const wide = { width: 1280, height: 860 };
const narrow = { width: 375, height: 740 };

/** An administrator's addresses: each page, tab and dialog, with something to show. */
async function addressesOn(server: TestServer): Promise<string[]> {
  const { admin } = server;
  const group = await made(server, '/core/groups/', { name: unique('staff') });
  await made(server, '/core/groups/', { name: unique('below'), parent: group.pk });
  const dana = await server.user(['svc_core.view_group'], { username: unique('dana'), groups: [group.pk] });
  const role = await made(server, '/rbac/roles/', { name: unique('role') });
  const slug = unique('grafana');
  await admin.put('/core/transactional/applications/', {
    app: { name: slug, slug, meta_launch_url: 'https://app.example.com/' },
    provider_model: 'svc_providers_oauth2.oauth2provider',
    provider: { name: slug, redirect_uris: [{ matching_mode: 'strict', url: 'https://app.example.com/callback' }] },
    policy_bindings: [{ group: group.pk }],
  });
  const application = (await admin.get(`/core/applications/${slug}/`)).body;
  const walk = await makeWalk(server, [['identification', { user_fields: ['username'] }], ['dummy'], ['user_login']]);
  await bindExpression(server, String(walk.bindings[1]?.target), 'message("Ask at the desk."); return false;');
  const policy = (await admin.get('/policies/expression/?ordering=-pk')).body.results[0];
  const brand = await made(server, '/core/brands/', { domain: `${unique('shop')}.example`, branding_title: 'Shop' });
  await admin.post('/crypto/certificatekeypairs/generate/', { common_name: unique('short'), validity_days: 3 });
  await made(server, '/outposts/service_connections/container/', { name: unique('engine'), url: 'http://localhost' });
  const scim = await makeSyncProvider(admin, 'scim', target.settings);
  await settled(server, 'scim', scim.pk);
  await admin.patch(`/core/groups/${group.pk}/`, { name: `${group.name} renamed` });
  const event = (await admin.get('/events/events/?action=model_updated')).body.results[0];

  const person = `/core/users/${dana.pk}/`;
  const app = `/core/applications/${slug}/`;
  const flow = `/flows/instances/${walk.slug}/`;
  const ofGroup = `/core/groups/${group.pk}/`;
  const step = (at: number) => `${flow}?step=${walk.bindings[at]?.pk}`;
  const tabs = (page: string, ...names: string[]) => [page, ...names.map((name) => `${page}?tab=${name}`)];
  const dialogs = (page: string, ...names: string[]) => names.map((name) => `${page}?dialog=${name}`);
  const steps = '/applications/new/?template=grafana';
  return [
    ...['/', '/everything/', '/stages/all/', '/no/such/page/', '/?dialog=shortcuts', '/core/users/?dialog=search'],
    ...['/core/applications/', '/applications/new/', steps, '/applications/new/?template=saml'],
    `${steps}&name=G&address=https%3A%2F%2Fg.example.com&step=access`,
    '/applications/test/?application=x&provider=%2Fproviders%2Foauth2%2F1%2F&outcome=off',
    ...tabs(app, 'sign-in', 'claims', 'access', 'tokens', 'events'),
    ...dialogs(app, 'duplicate', 'switch-off'),
    ...['/core/users/', '/core/users/?is_active=true&search=nobody-is-called-so', '/core/users/?dialog=invite'],
    ...tabs(person, 'groups', 'rights', 'sessions', 'devices', 'consents', 'connections', 'tokens', 'events'),
    ...dialogs(person, 'password', 'recovery', 'sign-out', 'act-as'),
    ...tabs(ofGroup, 'members', 'changes', 'used-by'),
    ...dialogs(ofGroup, 'delete'),
    ...['/rbac/roles/', `/rbac/roles/${role.pk}/?search=group`],
    ...['/flows/instances/', ...tabs(flow, 'diagram', 'try', 'used-by'), `${flow}?add=`],
    ...[step(0), `${step(1)}&pane=gates`, `${step(2)}&pane=place`],
    '/access/',
    `/access/?what=application&person=${dana.pk}&target=${application.pk}`,
    `/access/?what=flow&person=${dana.pk}&target=${walk.pk}`,
    `/access/?what=permission&person=${dana.pk}&permission=svc_core.view_group`,
    ...[`/policies/expression/${policy.pk}/?tab=try`, '/new/policies/expression/'],
    ...['/events/events/', `/events/events/${event.pk}/`, `/events/events/?dialog=rule-${event.pk}`, '/events/rules/'],
    ...['/core/brands/', `/core/brands/${brand.brand_uuid}/`, `/edit/core/brands/${brand.brand_uuid}/`],
    ...tabs('/system/', 'jobs', 'certificates', 'tokens', 'connections', 'sources', 'provisioning'),
    ...[`/system/?tab=provisioning&provider=${scim.pk}`, '/admin/settings/'],
    ...['/new/stages/all/', '/new/providers/oauth2/', '/new/core/applications/'],
    ...[`/edit${ofGroup}`, ...dialogs(`/edit${ofGroup}`, 'preview', 'curl')],
  ];
}

const sections = [
  '',
  'profile',
  'password',
  'devices',
  'sessions',
  'consents',
  'tokens',
  'connections',
  'notifications',
];

/** Waits until a page has all that it asks for. */
async function rest(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  await page.locator('.waiting').first().waitFor({ state: 'detached' });
}

type Look = (page: Page, name: string) => Promise<string[]>;

async function axeFaults(page: Page, name: string, rules?: string[]): Promise<string[]> {
  return (await axeViolations(page, rules)).map((fault) => `${name}: ${fault}`);
}

async function widthFaults(page: Page, name: string): Promise<string[]> {
  const beyond = await page.locator('html').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  return beyond > 0 ? [`${name}: reaches ${beyond} pixels beyond the window`] : [];
}

/** What is wrong with what a window shows in each language: each look of a page is checked in one of them. */
const looks: Readonly<Record<string, Look>> = {
  async 'en-GB'(page, name) {
    await page.setViewportSize(narrow);
    const faults = await widthFaults(page, `${name}, narrow`);
    await page.setViewportSize(wide);
    faults.push(...(await widthFaults(page, `${name}, wide`)), ...(await axeFaults(page, `${name}, wide`)));
    // Dark pages differ in their colours alone.
    await page.emulateMedia({ colorScheme: 'dark' });
    faults.push(...(await axeFaults(page, `${name}, dark`, ['color-contrast'])));
    await page.emulateMedia({ colorScheme: 'light' });
    return faults;
  },
  async ar(page, name) {
    await page.setViewportSize(wide);
    const faults = await widthFaults(page, `${name}, right to left`);
    await page.setViewportSize(narrow);
    const title = `${name}, right to left and narrow`;
    return [...faults, ...(await widthFaults(page, title)), ...(await axeFaults(page, title))];
  },
};

describeJourney(
  'every page, tab and dialog',
  (journey) => {
    test.each(Object.entries(looks))(
      'of the administration is accessible and fits (%s)',
      async (locale, look) => {
        const addresses = await addressesOn(journey().server);
        const page = await visitAdmin(journey(), '/', { locale, reducedMotion: 'reduce' });
        expect(await page.locator('html').getAttribute('dir')).toBe(locale === 'ar' ? 'rtl' : 'ltr');
        const faults: string[] = [];
        for (const address of addresses) {
          await moveTo(page, address);
          await rest(page);
          faults.push(...(await look(page, address)));
        }
        expect(faults).toEqual([]);
        await page.waitForLoadState('networkidle');
      },
      600_000,
    );

    test.each(Object.entries(looks))(
      'of signing in and of one’s own account is accessible and fits (%s)',
      async (locale, look) => {
        const { username } = await personWithPassword(journey().server);
        const page = await journey().window({ locale, reducedMotion: 'reduce', tolerates: /status of 40[034]/ });
        const faults: string[] = [];
        const check = async (name: string) => {
          await rest(page);
          faults.push(...(await look(page, name)));
        };
        for (const path of ['/no/such/page', '/application/o/authorize/?client_id=none', '/if/flow/none/']) {
          await page.goto(path);
          await check(path);
        }
        await page.goto(`/if/flow/${signInFlow}/`);
        await check('sign-in');
        await page.locator('input[name="uid_field"]').fill(username);
        await page.keyboard.press('Enter');
        await page.locator('input[type="password"]').fill('wrong');
        await page.keyboard.press('Enter');
        await page.locator('[aria-invalid="true"]').waitFor();
        await check('wrong password');
        await page.locator('input[type="password"]').fill(password);
        await page.keyboard.press('Enter');
        await page.waitForURL('**/if/user/');
        for (const section of sections) {
          const path = `/if/user/${section && `${section}/`}`;
          await page.evaluate(`history.pushState({}, '', '${path}'); dispatchEvent(new PopStateEvent('popstate'))`);
          await check(path);
        }
        expect(faults).toEqual([]);
        await page.waitForLoadState('networkidle');
      },
      600_000,
    );

    // German has the longest words of all languages.
    test('of an administrator has room for long words in the header and the menu', async () => {
      const page = await visitAdmin(journey(), '/', { locale: 'de' });
      await page.setViewportSize(wide);
      const menu = page.locator('#admin-menu-list');
      await menu.getByText('Eigenschaftszuordnungen').waitFor();
      // The browser of tests has no scroll bars that take room.
      await menu.evaluate((list) => list.style.setProperty('width', `${list.clientWidth - 15}px`));
      expect(await menu.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
      await page.setViewportSize(narrow);
      await page.goto('/if/user/');
      await rest(page);
      const logo = page.getByRole('banner').getByRole('img', { name: 'Gatehouse' });
      expect((await logo.boundingBox())?.width).toBeGreaterThan(80);
      expect(await widthFaults(page, 'account')).toEqual([]);
      await page.waitForLoadState('networkidle');
    });
  },
  localTargets,
);
