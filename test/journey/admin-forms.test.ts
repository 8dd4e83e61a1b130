import { expect, test } from 'vitest';
import { fillIn, pick } from '../support/admin-form.ts';
import { openAdmin, visitAdmin } from '../support/admin-visit.ts';
import { describeJourney } from '../support/journey.ts';
import { made, makeWalk, unique } from '../support/make-walk.ts';

describeJourney('forms of the admin pages', (journey) => {
  test('take lists of lines as they are typed, in the middle too', async () => {
    const { admin } = journey().server;
    const policy = { name: unique('networks'), asns: [64501, 64502], countries: ['CH'] };
    const { pk } = (await admin.post('/policies/geoip/', policy)).body;
    const page = await visitAdmin(journey(), `/edit/policies/geoip/${pk}/`);
    const lines = page.locator('[data-field="asns"] textarea');
    await lines.focus();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('649');
    expect(await lines.inputValue()).toBe('64501\n649\n64502');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(`**/policies/geoip/${pk}/`);
    expect((await admin.get(`/policies/geoip/${pk}/`)).body.asns).toEqual([64501, 649, 64502]);
    await page.waitForLoadState('networkidle');
  });

  test('send what was emptied, or say at the field that it needs a value', async () => {
    const { server } = journey();
    const { admin } = server;
    const walk = await makeWalk(server, [['dummy']]);
    const [binding] = walk.bindings;
    const page = await visitAdmin(journey(), `/edit/flows/bindings/${binding?.pk}/`);
    const clear = async (name: string) => {
      const input = page.locator(`[data-field="${name}"]`).getByRole(name === 'order' ? 'spinbutton' : 'combobox');
      await input.fill('');
      await page.keyboard.press('Tab');
    };
    await clear('order');
    await clear('stage');
    await page.getByRole('button', { name: 'Save' }).click();
    for (const name of ['order', 'stage'])
      await page.locator(`[data-field="${name}"]`).getByText('This field is required.').waitFor();
    expect((await admin.get(`/flows/bindings/${binding?.pk}/`)).body).toMatchObject({
      order: 0,
      stage: walk.stages[0],
    });

    const group = await made(server, '/core/groups/', { name: unique('group'), attributes: { team: 'red' } });
    await openAdmin(page, `/edit/core/groups/${group.pk}/`);
    await fillIn(page, server, 'attributes', '');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(`**/if/admin/core/groups/${group.pk}/`);
    expect((await admin.get(`/core/groups/${group.pk}/`)).body.attributes).toEqual({});
  });

  test('send required lists and data as they show them, empty', async () => {
    const { server } = journey();
    const { admin } = server;
    const page = await visitAdmin(journey(), '/new/policies/geoip/');
    const name = unique('networks');
    await fillIn(page, server, 'name', name);
    await fillIn(page, server, 'asns', ['64501']);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name }).waitFor();
    expect((await admin.get(`/policies/geoip/?name=${name}`)).body.results).toMatchObject([
      { asns: [64501], countries: [] },
    ]);

    const provider = await made(server, '/providers/ldap/', { name: unique('directory') });
    const outpost = unique('outpost');
    await openAdmin(page, '/new/outposts/instances/');
    await fillIn(page, server, 'name', outpost);
    await fillIn(page, server, 'type', 'ldap');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('[data-field="providers"]').getByText('This list may not be empty.').waitFor();
    await fillIn(page, server, 'providers', [provider.pk]);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: outpost }).waitFor();
    expect((await admin.get(`/outposts/instances/?name__iexact=${outpost}`)).body.results).toHaveLength(1);
  });

  test('send nothing chosen as null, where the server would choose', async () => {
    const { server } = journey();
    const page = await visitAdmin(journey(), '/new/providers/oauth2/');
    const name = unique('provider');
    await fillIn(page, server, 'name', name);
    await fillIn(page, server, 'redirect_uris', [{ matching_mode: 'strict', url: 'https://a.example/back' }]);
    await page.getByText('Advanced', { exact: true }).click();
    const key = page.locator('[data-field="signing_key"]').getByRole('combobox');
    await pick(page, 'Signing key', 'Gatehouse');
    await key.fill('');
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name }).waitFor();
    const [stored] = (await server.admin.get(`/providers/oauth2/?name=${name}`)).body.results;
    expect(stored).toMatchObject({ name, signing_key: null });
  });

  test('show from the start what the server would choose', async () => {
    const { server } = journey();
    const { admin } = server;
    const page = await visitAdmin(journey(), '/new/stages/authenticator/validate/');
    const ticked = (name: string) => page.locator(`[data-field="${name}"] input:checked`);
    const chips = page.locator('[data-field="property_mappings"] .tag');
    const stored = async (path: string, name: string) => {
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name }).waitFor();
      return (await admin.get(`${path}?name=${name}`)).body.results[0];
    };
    expect(await ticked('device_classes').count()).toBe(5);
    const stage = unique('stage');
    await fillIn(page, server, 'name', stage);
    await page.locator('[data-field="device_classes"] input[value="sms"]').uncheck();
    const classes = (await stored('/stages/authenticator/validate/', stage)).device_classes;
    expect(classes.toSorted()).toEqual(['static', 'totp', 'twofactor', 'webauthn']);

    await openAdmin(page, '/new/providers/oauth2/');
    expect(await chips.count()).toBe(4);
    const [client, usual] = [unique('client'), await ticked('grant_types').count()];
    expect(usual).toBeGreaterThan(0);
    await fillIn(page, server, 'name', client);
    await fillIn(page, server, 'redirect_uris', [{ matching_mode: 'strict', url: 'https://a.example/back' }]);
    await fillIn(page, server, 'security_profile', 'fapi2');
    await fillIn(page, server, 'jwks_uri', 'https://a.example/keys');
    await page.getByRole('button', { name: 'Remove Stay signed in' }).click();
    const provider = await stored('/providers/oauth2/', client);
    expect(provider.property_mappings).toHaveLength(3);
    expect(provider.grant_types).toHaveLength(usual);
    // The server would choose otherwise for this profile, but not what the form shows.
    expect(provider.include_claims_in_id_token).toBe(true);

    await openAdmin(page, '/new/providers/saml/');
    const service = unique('service');
    await fillIn(page, server, 'name', service);
    await fillIn(page, server, 'acs_url', 'https://a.example/acs');
    const shown = await chips.count();
    expect((await stored('/providers/saml/', service)).property_mappings).toHaveLength(shown);
    expect(shown).toBe(7);

    await openAdmin(page, '/new/providers/proxy/');
    expect(await chips.count()).toBe(4);
  });
});
