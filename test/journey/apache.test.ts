import { afterAll, describe, expect, test } from 'vitest';
import { findApache, startApache } from '../support/apache.ts';
import { freePort } from '../support/free-port.ts';
import { describeJourney, signInOn, whoIs } from '../support/journey.ts';
import { openPublicPort } from '../support/public-port.ts';
import { makeRelyingParty } from '../support/relying-party.ts';

const password = 'a long enough password for Ada';
const hasApache = await findApache();
const front = await openPublicPort();
afterAll(() => front.close());

describe.skipIf(!hasApache)('Apache with mod_auth_openidc', () => {
  describeJourney(
    'a page that it protects',
    (journey) => {
      test('is shown to people who sign in here, and lets them sign out', async () => {
        const { server, window } = journey();
        front.leadsTo(server.url);
        const port = await freePort();
        const strict = (path: string) => [{ matching_mode: 'strict', url: `http://localhost:${port}${path}` }];
        const party = await makeRelyingParty(server, {
          redirect_uris: strict('/protected/callback'),
          post_logout_redirect_uris: strict('/goodbye.html'),
        });
        const person = await server.user();
        await server.admin.post(`/core/users/${person.pk}/set_password/`, { password });
        const apache = await startApache(port, party, front.url);
        try {
          const page = await window({ baseURL: front.url });
          await page.goto(`${apache.url}/protected/`);
          await signInOn(page, person.username, password);
          await page.getByRole('heading', { name: 'The secret page' }).waitFor();
          expect(apache.log()).toContain(`${person.username} /protected/`);

          const goodbye = encodeURIComponent(`${apache.url}/goodbye.html`);
          await page.goto(`${apache.url}/protected/callback?logout=${goodbye}`);
          await page.getByRole('heading', { name: 'Goodbye' }).waitFor();
          expect(await whoIs(page)).toBeNull();
        } finally {
          await apache.stop();
        }
      });
    },
    { env: { GATEHOUSE_PUBLIC_URL: front.url } },
  );
});
