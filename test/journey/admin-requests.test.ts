import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openAdmin, visitAdmin } from '../support/admin-visit.ts';
import { describeJourney } from '../support/journey.ts';
import { makeWalk, unique } from '../support/make-walk.ts';
import type { TestServer } from '../support/server.ts';

const maxRequests = 3;

/** Calls of the API, in order. */
function watchRequests(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/api/v3/')) asked.push(`${request.method()} ${pathname}${search}`);
  });
  return asked;
}

async function addressesOf(server: TestServer): Promise<string[]> {
  const { admin } = server;
  const group = (await admin.post('/core/groups/', { name: unique('group') })).body;
  const dana = await server.user(['svc_core.view_group'], { username: unique('dana'), groups: [group.pk] });
  const role = (await admin.post('/rbac/roles/', { name: unique('role') })).body;
  const slug = unique('app');
  const flow = (await admin.get('/flows/instances/default-authentication-flow/')).body;
  await admin.put('/core/transactional/applications/', {
    app: { name: slug, slug },
    provider_model: 'svc_providers_oauth2.oauth2provider',
    provider: { name: slug, authorization_flow: flow.pk, redirect_uris: [] },
  });
  const application = (await admin.get(`/core/applications/${slug}/`)).body;
  const binding = (await admin.post('/policies/bindings/', { target: application.pk, group: group.pk, order: 0 })).body;
  const walk = await makeWalk(server, [['identification', { user_fields: ['username'] }], ['user_login']]);
  const [step] = walk.bindings;
  const brand = (await admin.get('/core/brands/?default=true')).body.results[0];
  const policy = (await admin.post('/policies/expression/', { name: unique('p'), expression: 'return true;' })).body;
  const tabs = (path: string, ...names: string[]) => [path, ...names.map((name) => `${path}?tab=${name}`)];
  return [
    ...[
      '/',
      '/everything/',
      '/system/',
      '/admin/settings/',
      '/applications/new/',
      '/applications/new/?template=grafana',
    ],
    ...['/events/events/', '/access/', `/access/?what=application&person=${dana.pk}&target=${application.pk}`],
    ...['/core/users/', '/core/users/?dialog=invite', '/core/applications/', '/flows/instances/', '/core/brands/'],
    ...tabs(
      `/core/users/${dana.pk}/`,
      'groups',
      'rights',
      'sessions',
      'devices',
      'tokens',
      'consents',
      'connections',
      'events',
    ),
    ...tabs(`/core/groups/${group.pk}/`, 'members', 'used-by', 'changes'),
    `/rbac/roles/${role.pk}/`,
    ...tabs(`/core/applications/${slug}/`, 'sign-in', 'claims', 'access', 'tokens', 'events'),
    ...tabs(`/flows/instances/${walk.slug}/`, 'diagram', 'try', 'settings'),
    ...[`step=${step?.pk}`, `step=${step?.pk}&pane=place`, `step=${step?.pk}&pane=gates`, 'step=flow', 'add='].map(
      (query) => `/flows/instances/${walk.slug}/?${query}`,
    ),
    `/core/brands/${brand.brand_uuid}/`,
    ...[`/edit/core/brands/${brand.brand_uuid}/`, '/new/core/brands/', `/edit/core/applications/${slug}/`],
    ...tabs(`/policies/expression/${policy.pk}/`, 'try'),
    ...['/policies/bindings/', `/policies/bindings/${binding.pk}/`, `/edit/policies/bindings/${binding.pk}/`],
    ...[`/new/policies/bindings/?target=${application.pk}`, '/new/policies/all/', '/new/providers/oauth2/'],
    ...[
      '/providers/oauth2/',
      `/providers/oauth2/${application.provider}/`,
      `/edit/providers/oauth2/${application.provider}/`,
    ],
    ...['/stages/all/', '/events/rules/', '/core/tokens/', '/crypto/certificatekeypairs/'],
  ];
}

describeJourney('the admin pages', (journey) => {
  test(`ask at most ${maxRequests} times when they are opened in a new window`, async () => {
    const addresses = await addressesOf(journey().server);
    const page = await visitAdmin(journey(), '/everything/');
    const asked = watchRequests(page);
    const tooMany: unknown[] = [];
    for (const address of addresses) {
      asked.length = 0;
      await openAdmin(page, address);
      await page.waitForLoadState('networkidle');
      // New objects begin with proposed values, and their names.
      const most = address.startsWith('/new/') ? maxRequests + 1 : maxRequests;
      if (asked.length > most) tooMany.push([address, ...asked]);
      expect([address, asked.length]).toEqual([address, expect.toSatisfy((count) => count > 0)]);
    }
    expect(tooMany).toEqual([]);
  });
});
