import { beforeAll, describe, expect, test } from 'vitest';
import { attributeOf, descendants } from '../../../src/lib/xml/element.ts';
import { unique } from '../../support/make-walk.ts';
import { makeApplication } from '../../support/providers.ts';
import { visitor } from '../../support/relying-party.ts';
import { type IdpKey, idpKey } from '../../support/saml-idp.ts';
import { implicitFlow, responseOn, signingPairOf } from '../../support/saml-sp.ts';
import { describeOnSqlite } from '../../support/server.ts';
import { newBrowser, throughFlow, visit } from '../oauth-source/visitor.ts';
import { parse, samlWalk } from './saml-walk.ts';

let key: IdpKey;
beforeAll(async () => {
  key = await idpKey();
});

describeOnSqlite('a SAML source whose identity provider is another Gatehouse', (server) => {
  const walk = samlWalk(server, () => key);

  /** Imports the metadata of the source at the identity provider, which is on the same server here. */
  async function importThere(slug: string) {
    const { text } = await visit(server(), newBrowser(server()), `/source/saml/${slug}/metadata/`);
    const form = new FormData();
    form.set('name', unique('imported'));
    form.set('authorization_flow', await implicitFlow(server()));
    form.set('file', new Blob([text]), 'metadata.xml');
    const { headers } = await server().admin.send('POST', '/providers/saml/import_metadata/', form);
    const { body } = await server().admin.get(headers.get('location')?.replace('/api/v3', '') ?? '');
    const application = await makeApplication(server(), { provider: body.pk });
    return {
      metadata: parse(text),
      provider: body,
      path: `/application/saml/${application.slug}/sso/binding/redirect/`,
    };
  }

  describe('with an encryption pair', () => {
    test('names the algorithms that it accepts in its metadata, and signs people in by them', async () => {
      const encryption_kp = await walk.pair(key);
      const { slug, pk } = await walk.source({ encryption_kp });
      const { metadata, provider, path } = await importThere(slug);
      const methods = [...descendants(metadata)].filter(({ local }) => local === 'EncryptionMethod');
      expect(methods.map((method) => attributeOf(method, 'Algorithm'))).toEqual([
        'http://www.w3.org/2009/xmlenc11#aes256-gcm',
        'http://www.w3.org/2009/xmlenc11#aes128-gcm',
        'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
      ]);
      expect(provider.encryption_algorithm).toBe('http://www.w3.org/2009/xmlenc11#aes256-gcm');

      const sso_url = `${server().world.config.publicUrl}${path}`;
      const patched = await server().admin.patch(`/sources/saml/${slug}/`, {
        ...{ sso_url, verification_kp: await signingPairOf(server(), provider), idp_issuer: '' },
      });
      expect([patched.status, patched.body.pk]).toEqual([200, pk]);
      const browser = newBrowser(server());
      const { location } = await walk.leave(slug, browser);
      const there = await visitor(server());
      const { text, relayState } = responseOn(await there.visit(`${path}${new URL(location).search}`));
      expect(text).toContain('EncryptedAssertion');
      const page = await walk.bring(slug, browser, text, relayState === undefined ? {} : { RelayState: relayState });
      await throughFlow(browser, page);
      const { uid } = (await server().admin.get(`/core/users/${there.person.pk}/`)).body;
      expect((await browser.get('/core/users/me/')).body.user.username).toBe(uid);
    });
  });
});
