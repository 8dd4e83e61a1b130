import { expect, test } from 'vitest';
import { fillIn } from '../support/admin-form.ts';
import { moveTo, openAdmin, visitAdmin } from '../support/admin-visit.ts';
import { describeJourney } from '../support/journey.ts';
import { made, unique } from '../support/make-walk.ts';
import { makeGrant, makeProvider } from '../support/providers.ts';
import type { TestServer } from '../support/server.ts';
import { signIn } from '../support/session.ts';

const makeGroup = (server: TestServer, name = unique('group')) => made(server, '/core/groups/', { name });

describeJourney('the words of admin pages', (journey) => {
  test('list in words how long something lasts, what was granted and to whom', async () => {
    const { server } = journey();
    const page = await visitAdmin(journey(), '/stages/user_login/?search=default-authentication-login');
    await page.getByRole('row', { name: /default-authentication-login 0 seconds No 0 seconds/ }).waitFor();
    const columns = async (path: string) => {
      await moveTo(page, path);
      await page.getByRole('table').waitFor();
      return (await page.getByRole('columnheader').allInnerTexts())
        .map((text) => text.replace(/ [↑↓]$/, ''))
        .filter(Boolean);
    };
    const holder = await server.user();
    const provider = await makeProvider(server);
    await makeGrant(server, 'access_tokens', { provider: provider.pk, user: holder.pk });
    const granted = ['User', 'Provider', 'Scope', 'Expires', 'Revoked'];
    expect(await columns('/oauth2/access_tokens/')).toEqual(granted);
    await page.getByRole('link', { name: holder.username }).click();
    await page.getByText(`of ${holder.username} for ${provider.name}`).waitFor();
    const group = await makeGroup(server);
    await server.admin.post(`/rbac/permissions/assigned_by_users/${holder.pk}/assign/`, {
      ...{ permissions: ['svc_core.change_group'], model: 'svc_core.group', object_pk: group.pk },
    });
    expect(await columns('/rbac/permissions/users/')).toEqual(['Name', 'Object description']);
    await page.getByRole('row', { name: group.name }).waitFor();
    await server.admin.post('/providers/scim/', { name: unique('scim'), url: 'http://127.0.0.1/', token: 'x' });
    expect(await columns('/providers/scim/')).not.toContain('Assigned backchannel application slug');
  });

  test('name what is chosen newly in a preview, and what uses an object', async () => {
    const { server } = journey();
    const [over, under] = [await makeGroup(server, unique('Over Parent')), await makeGroup(server)];
    const page = await visitAdmin(journey(), `/edit/core/groups/${under.pk}/`);
    await fillIn(page, server, 'parent', over.pk);
    await page.getByRole('button', { name: 'Preview' }).click();
    await page
      .getByRole('dialog')
      .getByRole('row', { name: `Parent nothing ${over.name}` })
      .waitFor();
    const member = await server.user([], { groups: [under.pk] });
    await server.admin.patch(`/core/groups/${under.pk}/`, { name: unique('Under Child'), parent: over.pk });
    await signIn(server, member.pk);
    await openAdmin(page, `/core/groups/${over.pk}/?tab=used-by`);
    await page.getByRole('link', { name: /^Under Child/ }).waitFor();
    await openAdmin(page, `/core/users/${member.pk}/?tab=used-by`);
    await page.getByRole('link', { name: 'Session', exact: true }).waitFor();
  });

  test('call shipped objects by their labels where one chooses them, and group lists by use', async () => {
    const { server } = journey();
    const page = await visitAdmin(journey(), '/new/providers/oauth2/');
    const first = page.locator('.object-form > .form-group').first();
    const labels = await first
      .locator('.widget')
      .evaluateAll((all) => all.map((one) => one.getAttribute('data-field')));
    expect(labels).toEqual(['name', 'client_type', 'client_id', 'client_secret', 'redirect_uris', 'property_mappings']);
    await page.getByRole('button', { name: 'Remove Email address' }).waitFor();
    await page.getByText('Advanced', { exact: true }).click();
    const flow = page.getByRole('combobox', { name: 'Authorization flow' });
    await flow.fill('never ask');
    await page.getByRole('option', { name: 'Consent, never asked' }).click();
    expect(await flow.inputValue()).toBe('Consent, never asked');
    await page.waitForLoadState('networkidle');
    const unused = await made(server, '/stages/dummy/', { name: unique('unused') });
    await openAdmin(page, '/stages/all/');
    const groups = page
      .getByRole('rowgroup')
      .filter({ has: page.getByRole('rowheader', { name: 'In use', exact: true }) });
    await groups.getByRole('link', { name: /^Ask for password/ }).waitFor();
    expect(await groups.getByRole('link', { name: unused.name }).count()).toBe(0);
    await page.getByRole('rowheader', { name: 'Unused', exact: true }).waitFor();
    const here = new URL(page.url()).pathname.replace('/if/admin', '');
    // A page alone cannot be grouped as the whole list.
    await openAdmin(page, `${here}?page_size=5`);
    await page.getByText('Page 1 of').waitFor();
    expect(await page.locator('.table-group').count()).toBe(0);
    await page.waitForLoadState('networkidle');
  });
});
