import { expect, test } from 'vitest';
import { fillIn, pick } from '../support/admin-form.ts';
import { openAdmin, visitAdmin } from '../support/admin-visit.ts';
import { describeJourney } from '../support/journey.ts';
import { made, makeWalk, unique } from '../support/make-walk.ts';
import type { TestServer } from '../support/server.ts';

/** An application for a group, and for whom a policy lets in, which is no user. */
async function makeGround(server: TestServer) {
  const { admin } = server;
  const staff = (await admin.post('/core/groups/', { name: unique('Staff') })).body;
  const expression = 'message("Ask at the desk."); log("looked at " + user.username); return false;';
  const policy = (await admin.post('/policies/expression/', { name: unique('desk'), expression })).body;
  const app = (await admin.post('/core/applications/', { name: unique('Grafana'), slug: unique('grafana') })).body;
  for (const [order, bound] of [{ group: staff.pk }, { policy: policy.pk }].entries())
    await admin.post('/policies/bindings/', { target: app.pk, order, ...bound });
  const dana = await server.user([], { username: unique('dana'), groups: [staff.pk] });
  const eve = await server.user([], { username: unique('eve') });
  return { staff, policy, app, dana, eve };
}

describeJourney('the admin page about access', (journey) => {
  test('tells whether a user may open an application, and by which bindings', async () => {
    const { staff, policy, app, dana, eve } = await makeGround(journey().server);
    const page = await visitAdmin(journey(), '/');
    await page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name: 'Access' }).click();
    await pick(page, 'Person', dana.username);
    await pick(page, 'Application', app.name);
    await page.getByText(`${app.name} is open by the group ${staff.name}.`).waitFor();
    const bindings = page.locator('.access-bindings > li');
    expect(await bindings.count()).toBe(2);
    expect(await bindings.nth(0).innerText()).toContain('passes');
    expect(await bindings.nth(1).innerText()).toContain('fails');
    await bindings.nth(1).getByText('Message: “Ask at the desk.”').waitFor();
    await bindings.nth(1).getByText(`looked at ${dana.username}`).waitFor();
    await page.getByText('What policies can read about the user').click();
    await page.locator('pre').getByText(`"username": "${dana.username}"`).waitFor();
    // Where every one has to pass, the answer names those that do not.
    const { admin } = journey().server;
    await made(journey().server, '/policies/bindings/', { target: app.pk, order: 2, user: eve.pk, negate: true });
    await admin.patch(`/core/applications/${app.slug}/`, { policy_engine_mode: 'all' });
    await page.reload();
    await page.getByText(`${app.name} is closed by the policy ${policy.name}.`).waitFor();
    expect(await bindings.nth(2).innerText()).toMatch(new RegExp(`passes\\s+not the user ${eve.username}`));
    await admin.patch(`/core/applications/${app.slug}/`, { policy_engine_mode: 'any' });
    await page.reload();
    await page.getByText(`is open by the group ${staff.name} and not the user ${eve.username}.`).waitFor();
    await openAdmin(page, `/access/?what=application&target=${app.pk}&person=${eve.pk}`);
    await page.getByText(`No binding of ${app.name} allows access.`).waitFor();
    await page.getByText(policy.name).waitFor();
    await page.waitForLoadState('networkidle');
  });

  test('explains flows and permissions', async () => {
    const { server } = journey();
    const { dana, eve } = await makeGround(server);
    const walk = await makeWalk(server, [['dummy'], ['dummy']]);
    await made(server, '/policies/bindings/', { target: walk.bindings[1]?.target, order: 0, user: eve.pk });
    const page = await visitAdmin(journey(), `/access/?what=flow&person=${dana.pk}&target=${walk.pk}`);
    await page.getByText(`Yes. Nothing is bound to ${walk.slug}, so it is open to everybody.`).waitFor();
    const stages = page.getByRole('list', { name: 'Stages' });
    expect(await stages.locator(':scope > li > .access-node > .tag').allInnerTexts()).toEqual(['passes', 'fails']);
    await page.getByLabel('May use').selectOption('permission');
    await page.getByLabel('Permission', { exact: true }).fill('svc_core.view_user');
    await page.getByText('Nothing grants svc_core.view_user.').waitFor();
    await server.admin.post(`/rbac/permissions/assigned_by_users/${dana.pk}/assign/`, {
      permissions: ['svc_core.view_user', 'svc_core.view_group'],
    });
    await page.reload();
    await page.getByText('Yes, on all objects.').waitFor();
    expect(await page.getByRole('list', { name: 'Rights' }).getByText('granted directly').count()).toBe(1);
    await page.waitForLoadState('networkidle');
  });

  test('completes names in expressions, and runs a policy and a mapping on a person', async () => {
    const { server } = journey();
    const { policy, dana } = await makeGround(server);
    const page = await visitAdmin(journey(), '/new/policies/expression/');
    await fillIn(page, server, 'expression', 'return request.');
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('use');
    await page.locator('.cm-tooltip-autocomplete li').getByText('user', { exact: true }).waitFor();
    await openAdmin(page, `/policies/expression/${policy.pk}/?tab=try`);
    await pick(page, 'Person', dana.username);
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('It does not pass.').waitFor();
    await page.getByText('Message: “Ask at the desk.”').waitFor();
    const { pk } = (await server.admin.get('/propertymappings/provider/scope/?scope_name=profile')).body.results[0];
    await openAdmin(page, `/propertymappings/provider/scope/${pk}/?tab=try&person=${dana.pk}`);
    await page.getByRole('button', { name: 'Run' }).click();
    await page.locator('pre').getByText(dana.username).waitFor();
    await page.waitForLoadState('networkidle');
  });

  test('binds policies to rules and sources on their own pages', async () => {
    const { server } = journey();
    const { staff, policy } = await makeGround(server);
    const rule = await made(server, '/events/rules/', { name: unique('rule') });
    const page = await visitAdmin(journey(), `/events/rules/${rule.pk}/`);
    await page.getByRole('link', { name: 'Policies' }).last().click();
    await page.getByText('No policy selects events, so it notifies of nothing.').waitFor();
    const way = page.getByRole('link', { name: 'New policy for one kind of event' });
    expect(await way.getAttribute('href')).toBe('/if/admin/new/policies/event_matcher/');
    await pick(page, 'Policy', policy.name);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText(`Events that the policy ${policy.name} lets pass`).waitFor();
    const slug = unique('source');
    const credentials = { provider_type: 'github', consumer_key: 'key', consumer_secret: 'secret' };
    const { pk } = await made(server, '/sources/oauth/', { name: slug, slug, ...credentials });
    await openAdmin(page, `/sources/oauth/${slug}/?tab=bindings`);
    await page.getByText('Nothing is bound: open to everybody.').waitFor();
    await pick(page, 'Group', staff.name);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText(`Members of ${staff.name}`).waitFor();
    const bound = async (target: unknown) =>
      (await server.admin.get(`/policies/bindings/?target=${target}`)).body.results;
    expect(await bound(rule.pk)).toMatchObject([{ policy: policy.pk }]);
    expect(await bound(pk)).toMatchObject([{ group: staff.pk }]);
    await page.waitForLoadState('networkidle');
  });

  test('shows a delegate results without what policies say, and others nothing', async () => {
    const { server } = journey();
    const { app, dana } = await makeGround(server);
    const rights = ['view_user', 'view_user_applications', 'view_application'].map((one) => `svc_core.${one}`);
    const delegate = await server.user([...rights, 'svc_policies.view_policybinding']);
    const question = `/access/?what=application&person=${dana.pk}&target=${app.pk}`;
    const page = await visitAdmin(journey(), question, { user: delegate.pk });
    await page.getByText('Yes.').waitFor();
    expect(await page.getByText('Ask at the desk.').count()).toBe(0);
    expect(await page.getByText('What policies can read').count()).toBe(0);
    await page.waitForLoadState('networkidle');
    const other = await server.user(['svc_core.view_group']);
    const second = await visitAdmin(journey(), question, { user: other.pk });
    await second.getByText('You need permission to view policy bindings').waitFor();
    await second.waitForLoadState('networkidle');
  });
});
