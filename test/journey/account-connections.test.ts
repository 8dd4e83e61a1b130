import { afterAll, expect, test } from 'vitest';
import { startMediaServer } from '../api/sources/media-server.ts';
import { visit } from '../support/account-visit.ts';
import { describeJourney } from '../support/journey.ts';
import { made, unique } from '../support/make-walk.ts';

const media = await startMediaServer();
afterAll(() => media.close());

describeJourney(
  'accounts elsewhere',
  (journey) => {
    test('an account is connected by its token, and disconnected again', async () => {
      const { server } = journey();
      const slug = unique('media');
      await made(server, '/sources/mediasrc/', { name: slug, slug, client_id: 'x', plex_token: 't' });
      media.know('the-token-of-ada', { id: 7, username: 'ada' });
      const { page, person } = await visit(journey(), 'connections');
      const connections = async () =>
        (await server.admin.get(`/sources/user_connections/all/?user=${person.pk}`)).body.results;

      await page.getByRole('button', { name: `Connect ${slug}` }).click();
      await page.getByLabel('Token', { exact: true }).fill('a-token-of-nobody');
      await page.getByRole('dialog').getByRole('button', { name: 'Connect', exact: true }).click();
      await page.locator('dialog [aria-invalid=true]').waitFor();
      expect(await connections()).toEqual([]);
      await page.getByLabel('Token', { exact: true }).fill('the-token-of-ada');
      await page.getByRole('dialog').getByRole('button', { name: 'Connect', exact: true }).click();
      await page.getByText(`${slug} is connected.`).waitFor();
      expect(await connections()).toMatchObject([{ source: { slug } }]);

      await page.getByRole('button', { name: `Disconnect ${slug}` }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
      await page.getByText(`${slug} is disconnected.`).waitFor();
      expect(await connections()).toEqual([]);
      await page.getByRole('button', { name: `Connect ${slug}` }).waitFor();
    });
  },
  { env: { GATEHOUSE_MEDIASRC_API_URL: media.url, GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8' } },
);
