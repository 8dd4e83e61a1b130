import { expect, test } from 'vitest';
import { unique } from '../../support/make-walk.ts';
import { makeKey } from '../../support/oauth2.ts';
import { makeProvider } from '../../support/providers.ts';
import { storePair } from '../../support/saml-sp.ts';
import { describeOnSqlite } from '../../support/server.ts';
import { unsuitablePairs } from '../../support/unsuitable-pairs.ts';

describeOnSqlite('the signing key of an OAuth2 provider', (server) => {
  const { signing_key } = { signing_key: [expect.stringContaining('Tokens cannot be signed with this kind of key.')] };

  test.each(unsuitablePairs)('on %s is refused when it is saved', async (_name, certificate, key) => {
    const pair = await storePair(server(), { certificate, key });
    const provider = await makeProvider(server());
    const changed = await server().admin.patch(`/providers/oauth2/${provider.pk}/`, { signing_key: pair });
    expect([changed.status, changed.body]).toEqual([400, { signing_key }]);
    const made = await server().admin.post('/providers/oauth2/', {
      name: unique('provider'),
      redirect_uris: [],
      signing_key: pair,
    });
    expect([made.status, made.body]).toEqual([400, { signing_key }]);
  });

  test.each(unsuitablePairs)('cannot be replaced by one on %s while it is in use', async (_name, certificate, key) => {
    const { admin } = server();
    const pair = await makeKey(server());
    const path = `/crypto/certificatekeypairs/${pair}/`;
    const { fingerprint_sha256 } = (await admin.get(path)).body;
    const provider = await makeProvider(server(), { signing_key: pair });
    const changed = await admin.patch(path, { certificate_data: certificate, key_data: key });
    expect([changed.status, changed.body]).toEqual([
      400,
      { certificate_data: [expect.stringContaining(`The provider ${provider.name} signs with this pair.`)] },
    ]);
    expect((await admin.get(path)).body.fingerprint_sha256).toBe(fingerprint_sha256);
    const without = await admin.patch(path, { key_data: '' });
    expect([without.status, without.body]).toEqual([400, { key_data: [expect.stringContaining('private key')] }]);
    await admin.delete(`/providers/oauth2/${provider.pk}/`);
    expect((await admin.patch(path, { certificate_data: certificate, key_data: key })).status).toBe(200);
  });
});
