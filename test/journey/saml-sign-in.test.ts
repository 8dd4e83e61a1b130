import { afterAll, expect, test } from 'vitest';
import { describeJourney, whoIs } from '../support/journey.ts';
import { made, makeWalk, unique } from '../support/make-walk.ts';
import { openPublicPort } from '../support/public-port.ts';
import { idpKey } from '../support/saml-idp.ts';
import { startSamlify } from '../support/samlify-idp.ts';

const [key, ours] = await Promise.all([idpKey(), idpKey()]);
const peer = await startSamlify(key);
const port = await openPublicPort();
afterAll(() => Promise.all([peer.close(), port.close()]));

describeJourney(
  'a SAML identity provider (samlify)',
  (journey) => {
    test('lets a user in by the button, links accounts, and signs out both ways', async () => {
      const { server } = journey();
      const { admin } = server;
      port.leadsTo(server.url);
      const flow = async (slug: string) => (await admin.get(`/flows/instances/${slug}/`)).body.pk;
      const signing = { name: unique('pair'), certificate_data: ours.certificate, key_data: ours.key };
      const slug = unique('samlify');
      const source = await made(server, '/sources/saml/import_metadata/', {
        name: slug,
        slug,
        pre_authentication_flow: await flow('default-source-pre-authentication'),
        metadata: peer.metadata,
      });
      const set = await admin.patch(`/sources/saml/${slug}/`, {
        authentication_flow: await flow('default-source-authentication'),
        enrollment_flow: await flow('default-source-enrollment'),
        signing_kp: (await made(server, '/crypto/certificatekeypairs/', signing)).pk,
      });
      expect([set.status, set.body.sso_url]).toEqual([200, `${peer.url}/sso`]);
      peer.knows((await admin.get(`/sources/saml/${slug}/metadata/`)).body.metadata);
      peer.account = unique('dana');
      const walk = await makeWalk(server, [['identification', { user_fields: ['username'], sources: [source.pk] }]]);

      const page = await journey().window({ tolerates: /403/ });
      const signIn = async () => {
        await page.goto(`${port.url}/if/flow/${walk.slug}/`);
        await page.getByRole('link', { name: `Continue with ${slug}` }).click();
        await page.getByRole('button', { name: `Sign in as ${peer.account}` }).click();
        await page.waitForURL('**/if/user/');
        expect(await whoIs(page)).toBe(peer.account);
      };
      await signIn();

      await page.goto(`${port.url}/if/user/connections/`);
      await page.getByRole('button', { name: /^Disconnect/ }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
      await page.getByRole('link', { name: `Connect ${slug}` }).click();
      await page.getByRole('button', { name: `Connect ${slug}` }).click();
      await page.getByRole('button', { name: `Sign in as ${peer.account}` }).click();
      await page.getByRole('button', { name: /^Disconnect/ }).waitFor();

      // Signs out here: the way leads past the identity provider and back.
      await page.goto(`${port.url}/if/flow/default-invalidation-flow/`);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.waitForURL(/\/if\/flow\/default-authentication-flow\//);
      await signIn();

      const asked: string[] = [];
      page.on('request', (request) => void asked.push(request.url()));
      await page.goto(`${port.url}/if/flow/default-invalidation-flow/`);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.waitForURL(/\/if\/flow\/default-authentication-flow\//);
      expect(asked.some((url) => url.startsWith(`${peer.url}/slo?SAMLRequest=`))).toBe(true);

      // Signs out there: the identity provider asks us, and hears from us.
      await signIn();
      await page.goto(peer.signsOut(peer.account, `session-${peer.account}`));
      await page.getByText('Signed out at Samlify').waitFor();
      await page.goto(`${port.url}/if/user/`);
      await page.waitForURL(/\/if\/flow\/default-authentication-flow\//);
    });
  },
  { env: { GATEHOUSE_PUBLIC_URL: port.url } },
);
