import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { openAdmin, visitAdmin } from '../support/admin-visit.ts';
import { expectGoodLook, expectGoodLooks } from '../support/good-looks.ts';
import { addFailedJob } from '../support/jobs.ts';
import { describeJourney } from '../support/journey.ts';
import { unique } from '../support/make-walk.ts';
import { startScimTarget } from '../support/scim-target.ts';
import { localTargets, makeSyncProvider, settled } from '../support/sync.ts';

const target = await startScimTarget();
afterAll(() => target.close());
const tabs = ['overview', 'jobs', 'certificates', 'tokens', 'connections', 'sources', 'provisioning'];

describeJourney(
  'the admin page about maintenance',
  (journey) => {
    test('leads from a certificate that ends soon to its replacement', async () => {
      const { admin } = journey().server;
      const names = { short: unique('short'), long: unique('long'), theirs: unique('theirs') };
      const make = async (common_name: string, validity_days: number) =>
        (await admin.post('/crypto/certificatekeypairs/generate/', { common_name, validity_days })).body;
      const short = await make(names.short, 20);
      const long = await make(names.long, 300);
      const { data } = (await admin.get(`/crypto/certificatekeypairs/${short.pk}/view_certificate/`)).body;
      const theirs = (await admin.post('/crypto/certificatekeypairs/', { name: names.theirs, certificate_data: data }))
        .body;
      const page = await visitAdmin(journey(), '/');
      await page.getByRole('link', { name: names.short }).click();
      await page.getByText('To replace it, generate a new pair').waitFor();
      await expectGoodLooks(page, 'a certificate that ends soon');
      await page.getByRole('link', { name: 'See where it is used' }).click();
      await page.getByText('Nothing uses it.').waitFor();
      await page.goBack();
      await page.getByRole('link', { name: 'Generate a new pair' }).click();
      await page.getByRole('dialog', { name: 'Generate' }).waitFor();
      await openAdmin(page, `/crypto/certificatekeypairs/${theirs.pk}/`);
      await page.getByText('It has no private key here').waitFor();
      expect(await page.getByRole('link', { name: 'Generate a new pair' }).count()).toBe(0);
      await openAdmin(page, `/crypto/certificatekeypairs/${long.pk}/`);
      expect(await page.getByText('This certificate expires').count()).toBe(0);
      for (const { pk } of [short, theirs]) await admin.delete(`/crypto/certificatekeypairs/${pk}/`);
      await openAdmin(page, '/');
      expect(await page.getByText('Certificate expires').count()).toBe(0);
    });

    test('tells what needs attention, and runs a job again', async () => {
      const { admin } = journey().server;
      const [certificate, lasting] = [unique('short'), unique('long')];
      for (const [common_name, validity_days] of [
        [certificate, 3],
        [lasting, 300],
      ])
        await admin.post('/crypto/certificatekeypairs/generate/', { common_name, validity_days });
      const [token, ending, failing] = [unique('endless'), unique('ending'), unique('failing')];
      await admin.post('/core/tokens/', { identifier: token, expiring: false });
      await admin.post('/core/tokens/', { identifier: ending, expires: new Date(Date.now() + 3_600_000) });
      await addFailedJob(journey().server, failing, 'no answer');
      const page = await visitAdmin(journey(), '/');
      await page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name: 'Maintenance' }).click();
      const row = (name: string) => page.getByRole('listitem').filter({ has: page.getByRole('link', { name }) });
      await row(certificate).getByText('Certificate expires').waitFor();
      await row(ending).getByText('Token ends').waitFor();
      await row(failing).getByText('no answer').waitFor();
      expect(await row(lasting).count()).toBe(0);
      await page.getByRole('link', { name: 'Certificates' }).last().click();
      await row(certificate).getByText('Ends soon').waitFor();
      await row(lasting).getByText('Valid').waitFor();
      const { certificates } = (await admin.get('/admin/maintenance/')).body;
      const { ends } = certificates.find(({ name }: { name: string }) => name === certificate);
      expect(await row(certificate).locator('time').getAttribute('datetime')).toBe(ends);
      await openAdmin(page, '/system/?tab=jobs');
      await page.getByText('Next: ').first().waitFor();
      expect(await page.locator('.tabs > ul').first().getByRole('link').allInnerTexts()).toEqual([
        ...['Overview', 'Jobs', 'Certificates and tokens', 'Connections', 'Settings'],
      ]);
      await openAdmin(page, '/system/?tab=tokens');
      await row(token).getByText('Never ends').waitFor();
      const engine = unique('engine');
      const path = '/outposts/service_connections/container/';
      expect((await admin.post(path, { name: engine, url: 'http://127.0.0.1:1' })).status).toBe(201);
      await openAdmin(page, '/system/?tab=connections');
      const connection = page.getByRole('listitem').filter({ hasText: engine });
      await connection.getByText('Not checked').waitFor();
      await connection.getByRole('button', { name: /^Check/ }).click();
      await connection.getByText('Not reachable').waitFor();
      await openAdmin(page, '/system/?tab=sources');
      await page
        .getByRole('listitem')
        .filter({ hasText: 'Gatehouse Built-in' })
        .getByText('On', { exact: true })
        .waitFor();
      const jobs = async () => (await admin.get('/admin/maintenance/')).body.jobs;
      await expect.poll(async () => (await jobs()).length).toBeGreaterThan(0);
      await openAdmin(page, '/system/?tab=jobs');
      const button = page.getByRole('button', { name: /^Run again/ }).first();
      const name = (await button.innerText()).split('\n').at(-1)?.replace('Run again', '').trim();
      await button.press('Enter');
      await page.getByText(`${name} is run again.`).waitFor();
      const { body } = await admin.get('/events/events/?action=system_task_execution');
      expect(body.results[0].context.message).toBe(`${name} is run again.`);
      await page.waitForLoadState('networkidle');
    });

    test('calls a job that waits the same in every list and on its own page', async () => {
      const { world } = journey().server;
      const [pk, kind, now] = [crypto.randomUUID(), unique('waiting'), world.clock.now()];
      await world.db.write((tx) =>
        sql`insert into jobs (pk, kind, payload, state, run_at, attempt, created, message)
          values (${pk}, ${kind}, '{}', 'queued', ${now}, 0, ${now}, '')`.execute(tx),
      );
      const page = await visitAdmin(journey(), '/system/?tab=jobs');
      await page.getByRole('listitem').filter({ hasText: kind }).getByText('Waiting', { exact: true }).waitFor();
      await openAdmin(page, `/events/system_tasks/?name=${kind}&status=unknown`);
      await page.getByRole('row').filter({ hasText: kind }).getByText('Waiting', { exact: true }).waitFor();
      await openAdmin(page, `/events/system_tasks/${pk}/`);
      await page.locator('.facts').getByText('Waiting', { exact: true }).waitFor();
      await page.waitForLoadState('networkidle');
    });

    test('shows what was sent to a target, tries and sends one object, and starts a run', async () => {
      const { server } = journey();
      const { admin } = server;
      const dana = await server.user([], { username: unique('dana'), email: `${unique('dana')}@example.org` });
      const made = await makeSyncProvider(admin, 'scim', target.settings);
      await settled(server, 'scim', made.pk);
      const page = await visitAdmin(journey(), '/system/?tab=provisioning');
      const card = page.getByRole('region', { name: made.name });
      await card.getByText('0 outstanding').waitFor();
      await card.getByRole('link', { name: 'Objects' }).click();
      await page.getByRole('radio', { name: 'Failed' }).check();
      await page.getByText('There are no such objects.').waitFor();
      await page.getByRole('radio', { name: 'All' }).check();
      const row = page.getByRole('listitem').filter({ hasText: dana.username }).last();
      await row.getByText('In sync').waitFor();
      await row.getByText('Last requests and responses').click();
      expect(await row.locator('pre').innerText()).not.toContain(String(target.settings.token));
      const before = target.requests.length;
      await row.getByRole('button', { name: /^Try/ }).click();
      await page.getByRole('dialog', { name: `What would be sent for ${dana.username}` }).waitFor();
      const writes = target.requests.slice(before).filter(({ method }) => method !== 'GET');
      expect(writes).toEqual([]);
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
      await row.getByRole('button', { name: /^Send now/ }).click();
      await page.getByRole('dialog', { name: `Sent: ${dana.username}` }).waitFor();
      expect(target.requests.slice(before).some(({ method }) => method !== 'GET')).toBe(true);
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
      const runs = async () => (await admin.get(`/providers/scim/${made.pk}/sync/status/`)).body.tasks.length;
      const first = await runs();
      await card.getByRole('button', { name: 'Sync now' }).click();
      await page.getByText(`All users and groups are sent to ${made.name}.`).waitFor();
      expect(await runs()).toBe(first + 1);
      await settled(server, 'scim', made.pk);
      await page.waitForLoadState('networkidle');
    });

    test('shows a delegate what they may see, without buttons, and others no such page in the menu', async () => {
      const { server } = journey();
      const delegate = await server.user(['svc_events.view_systemtask']);
      const page = await visitAdmin(journey(), '/system/?tab=jobs', { user: delegate.pk });
      await page.locator('.rows-row').first().waitFor();
      expect(await page.getByRole('button', { name: /^Run again/ }).count()).toBe(0);
      const parts = page.getByRole('navigation', { name: 'Parts of this page' }).getByRole('link');
      expect(await parts.allInnerTexts()).toEqual(['Overview', 'Jobs']);
      const { body } = await delegate.api.get('/admin/maintenance/');
      expect(body).toMatchObject({ health: null, certificates: [], connections: [], sources: [], sync: [] });
      await page.waitForLoadState('networkidle');
      const other = await server.user(['svc_core.view_group']);
      const second = await visitAdmin(journey(), '/', { user: other.pk });
      expect(await second.getByRole('link', { name: 'Maintenance' }).count()).toBe(0);
      await second.waitForLoadState('networkidle');
    });

    test('is accessible, fits narrow screens and asks at most three times', async () => {
      const { server } = journey();
      await server.admin.post('/outposts/service_connections/docker/', {
        name: unique('engine'),
        url: 'http://localhost',
      });
      const provider = await makeSyncProvider(server.admin, 'scim', target.settings);
      await settled(server, 'scim', provider.pk);
      const page = await visitAdmin(journey(), '/system/');
      let asked = 0;
      page.on('request', (request) => {
        if (request.url().includes('/api/v3/')) asked += 1;
      });
      const addresses = [
        ...tabs.map((tab) => `/system/?tab=${tab}`),
        `/system/?tab=provisioning&provider=${provider.pk}`,
      ];
      for (const [at, address] of addresses.entries()) {
        asked = 0;
        await openAdmin(page, address);
        await page.waitForLoadState('networkidle');
        expect([address, asked]).toEqual([address, expect.toSatisfy((count) => count <= 3)]);
        // Each tab once; the looks of what they are made of on two of them.
        await (at === 1 || at === tabs.length ? expectGoodLooks : expectGoodLook)(page, address);
      }
    });
  },
  localTargets,
);
