import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateCertificate } from '../../src/lib/certificate/generate-certificate.ts';
import { mellon, shibboleth } from '../support/apache-saml.ts';
import { freePort } from '../support/free-port.ts';
import { describeJourney, signInOn, whoIs } from '../support/journey.ts';
import { openPublicPort } from '../support/public-port.ts';
import { makeServiceProvider, oidMappings, type SpPair, storePair } from '../support/saml-sp.ts';

const password = 'a long enough password for Ada';
const front = await openPublicPort();
afterAll(() => front.close());
let pair: SpPair;
beforeAll(async () => {
  const request = { commonName: 'sp', subjectAltNames: [], validityDays: 1, algorithm: 'rsa', rsaBits: 2048 } as const;
  pair = await generateCertificate(request);
});

for (const module of [mellon, shibboleth]) {
  const isThere = await module.isThere();
  describe.skipIf(!isThere)(`Apache with ${module.name}`, () => {
    describeJourney(
      'a page that it protects',
      (journey) => {
        test('is shown to who signs in here by SAML, and they can sign out from it', async () => {
          const { server, window } = journey();
          front.leadsTo(server.url);
          const port = await freePort();
          const url = `http://localhost:${port}`;
          const certificate = await storePair(server, { certificate: pair.certificate });
          const sp = await makeServiceProvider(server, {
            acs_url: `${url}${module.paths.acs}`,
            audience: `${url}${module.paths.entityId}`,
            sls_url: `${url}${module.paths.sls}`,
            verification_kp: certificate,
            encryption_kp: certificate,
            ...(module.attributes === 'by OID' && { property_mappings: await oidMappings(server) }),
          });
          // That of the public address: its scope is the one that principal names must have.
          await server.admin.post('/core/brands/', { domain: 'localhost' });
          const { metadata } = (await server.nobody.get(`/providers/saml/${sp.provider.pk}/metadata/`)).body;
          const person = await server.user([], { username: 'ada', attributes: { upn: 'ada@localhost' } });
          await server.admin.post(`/core/users/${person.pk}/set_password/`, { password });
          const idpEntityId = `${front.url}${sp.at('metadata/')}`;
          const apache = await module.start(port, { idpMetadata: metadata, idpEntityId, pair });
          try {
            const page = await window({ baseURL: front.url });
            await page.goto(`${apache.url}/protected/`);
            await signInOn(page, person.username, password);
            await page.getByRole('heading', { name: 'The secret page' }).waitFor();
            expect(apache.log()).toContain(`${module.ada} /protected/`);

            const goodbye = encodeURIComponent(`${apache.url}/goodbye.html`);
            await page.goto(`${apache.url}${module.paths.logout}${goodbye}`);
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
}
