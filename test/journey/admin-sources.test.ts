import { expect, test } from 'vitest';
import { fillIn } from '../support/admin-form.ts';
import { openAdmin, visitAdmin } from '../support/admin-visit.ts';
import { describeJourney, type Journey } from '../support/journey.ts';
import { makeWalk } from '../support/make-walk.ts';

const flowOf = async ({ server }: Journey, slug: string): Promise<string> =>
  (await server.admin.get(`/flows/instances/${slug}/`)).body.pk;

describeJourney('the admin pages of sources', (journey) => {
  test('propose the flows that people need to come in, and a slug', async () => {
    const { server } = journey();
    const page = await visitAdmin(journey(), '/new/sources/oauth/');
    await fillIn(page, server, 'name', 'Möbel & Co.');
    await expect.poll(() => page.getByLabel('Slug (required)').inputValue()).toBe('mobel-co');
    await fillIn(page, server, 'slug', 'moebel');
    await fillIn(page, server, 'name', 'Möbel');
    await fillIn(page, server, 'provider_type', 'github');
    await fillIn(page, server, 'consumer_key', 'key');
    await fillIn(page, server, 'consumer_secret', 'secret');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.waitForURL('**/sources/oauth/moebel/');
    expect((await server.admin.get('/sources/oauth/moebel/')).body).toMatchObject({
      authentication_flow: await flowOf(journey(), 'default-source-authentication'),
      // Anybody may have an account there.
      enrollment_flow: null,
    });
    await page.getByText('Users without an account are denied').waitFor();
  });

  test('do not offer to sign in by the source that no user comes from', async () => {
    const page = await visitAdmin(journey(), '/sources/all/gatehouse-built-in/');
    await page.getByRole('region', { name: 'Flows' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('region', { name: 'Sign-in page' }).count()).toBe(0);
  });

  test('give the addresses that the other side asks for, to copy', async () => {
    const { server } = journey();
    const flow = await flowOf(journey(), 'default-source-pre-authentication');
    const client = { provider_type: 'github', consumer_key: 'k', consumer_secret: 's' };
    await server.admin.post('/sources/oauth/', { name: 'Copied', slug: 'copied', ...client });
    const saml = { pre_authentication_flow: flow, sso_url: 'https://idp.example/sso', enabled: false };
    const made = await server.admin.post('/sources/saml/', { name: 'Copied too', slug: 'copied-too', ...saml });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const page = await visitAdmin(journey(), '/sources/oauth/copied/', {
      permissions: ['clipboard-write', 'clipboard-read'],
    });
    const card = page.getByRole('region', { name: 'For the identity provider' });
    await card.getByRole('button', { name: 'Copy' }).first().click();
    await card.getByText('The text has been copied.').waitFor();
    const callback = (await server.admin.get('/sources/oauth/copied/')).body.callback_url;
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(callback);
    await openAdmin(page, '/sources/saml/copied-too/');
    for (const place of ['metadata', 'acs', 'slo'])
      await card.getByText(new RegExp(`/source/saml/copied-too/${place}/$`)).waitFor();
  });

  test('say whether the sign-in page offers one, and have it do so', async () => {
    const { server } = journey();
    const values = { name: 'Octo', slug: 'octo', provider_type: 'github', consumer_key: 'k', consumer_secret: 's' };
    const { body } = await server.admin.post('/sources/oauth/', values);
    const other = await server.admin.post('/sources/oauth/', { ...values, name: 'Hexa', slug: 'hexa' });
    const page = await visitAdmin(journey(), '/sources/oauth/octo/');
    // What somebody else offers meanwhile stays.
    const identification = '/stages/identification/?name=default-authentication-identification';
    const [{ pk }] = (await server.admin.get(identification)).body.results;
    await server.admin.patch(`/stages/identification/${pk}/`, { sources: [other.body.pk] });
    await page.getByRole('button', { name: 'Offer it by default-authentication-identification' }).click();
    await page.getByText('The sign-in page offers Octo now.').waitFor();
    await page.getByRole('link', { name: 'default-authentication-identification' }).waitFor();
    const { body: stages } = await server.admin.get(identification);
    expect(stages.results[0].sources.toSorted()).toEqual([other.body.pk, body.pk].toSorted());

    const visitor = await journey().window();
    await visitor.goto('/');
    await visitor.getByRole('link', { name: 'Continue with Octo' }).waitFor();
    expect(await visitor.getByRole('link', { name: 'Continue with Octo' }).locator('.visually-hidden').count()).toBe(0);
  });

  test('say at its field which address is missing, and beside the button what no field can say', async () => {
    const { server } = journey();
    const page = await visitAdmin(journey(), '/new/sources/oauth/', { locale: 'de' });
    for (const [name, value] of Object.entries({ name: 'Bare', consumer_key: 'key', consumer_secret: 'secret' }))
      await fillIn(page, server, name, value);
    await fillIn(page, server, 'provider_type', 'openidconnect');
    await page.getByRole('button', { name: 'Erstellen', exact: true }).click();
    await page
      .getByRole('textbox', { name: 'Autorisierungs-URL', includeHidden: true })
      .and(page.locator(':focus'))
      .waitFor();
    expect(await page.locator('[data-field="profile_url"] .field-errors').innerText()).toBe(
      'Dieses Feld ist erforderlich.',
    );
    expect(await page.locator('.form-foot .notice').count()).toBe(0);

    await openAdmin(page, '/new/policies/reputation/');
    await fillIn(page, server, 'name', 'bare');
    for (const name of ['check_ip', 'check_username']) await fillIn(page, server, name, false);
    await page.getByRole('button', { name: 'Erstellen', exact: true }).click();
    await page.locator('.form-foot .notice').waitFor();
    const foot = await page.locator('.form-foot').boundingBox();
    expect((foot?.y ?? 0) + (foot?.height ?? 0)).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0);
  });

  test('leave a proposal out that is cleared, and take what the address says instead', async () => {
    const { server } = journey();
    const other = await flowOf(journey(), 'default-authentication-flow');
    const page = await visitAdmin(journey(), `/new/sources/saml/?authentication_flow=${other}`);
    for (const [name, value] of Object.entries({ name: 'Closed', sso_url: 'https://idp.example/sso', enabled: false }))
      await fillIn(page, server, name, value);
    await page.getByRole('combobox', { name: 'Enrollment flow' }).fill('');
    await page.locator('[data-field="enrollment_flow"] .options[data-open]').waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.waitForURL('**/sources/saml/closed/');
    const { body } = await server.admin.get('/sources/saml/closed/');
    expect(body).toMatchObject({ authentication_flow: other, enrollment_flow: null });
  });

  test('propose the mappings without which nothing is sent to a target', async () => {
    const { server } = journey();
    const page = await visitAdmin(journey(), '/new/providers/scim/');
    for (const [name, value] of Object.entries({ name: 'Chat', url: 'https://chat.example/scim', token: 'secret' }))
      await fillIn(page, server, name, value);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.waitForURL(/\/providers\/scim\/\d+\/$/);
    await page.getByText('It sends nothing yet.').waitFor();
    const { body } = await server.admin.get('/providers/scim/?name=Chat');
    const { body: mappings } = await server.admin.get('/propertymappings/provider/scim/?ordering=name');
    const keyOf = (managed: string) => mappings.results.find((one: { managed: string }) => one.managed === managed).pk;
    expect(body.results[0]).toMatchObject({
      property_mappings: [keyOf('gatehouse/providers/scim/user')],
      property_mappings_group: [keyOf('gatehouse/providers/scim/group')],
    });
  });

  test('are offered at sign-in by name, except where the icon alone says it', async () => {
    const { server } = journey();
    const make = async (name: string, values: object) =>
      (
        await server.admin.post('/sources/oauth/', {
          ...{ name, slug: name, consumer_key: 'key', consumer_secret: 'secret' },
          ...values,
        })
      ).body.pk;
    const sources = [
      await make('github', { provider_type: 'github' }),
      await make('partner', {
        provider_type: 'openidconnect',
        oidc_well_known_url: 'https://partner.example/discovery',
      }),
    ];
    const walk = await makeWalk(server, [['identification', { user_fields: ['username'], sources }]]);
    const page = await journey().window();
    await page.goto(`/if/flow/${walk.slug}/`);
    const hidden = (name: string) => page.getByRole('link', { name }).locator('.visually-hidden');
    await page.getByRole('link', { name: 'Continue with partner' }).waitFor();
    expect(await hidden('Continue with partner').count()).toBe(0);
    expect(await hidden('Continue with github').count()).toBe(1);
  });
});
