import { createPrivateKey, X509Certificate } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { generateCertificate } from '../../../src/lib/certificate/generate-certificate.ts';
import { eventsAbout } from '../../support/events.ts';
import { grantOn } from '../../support/grants.ts';
import { describeOnBoth } from '../../support/server.ts';

const path = '/crypto/certificatekeypairs/';

/** With an RSA key of 512 bits. */
const weak = `-----BEGIN CERTIFICATE-----
MIIBdTCCAR+gAwIBAgIUdOqCMRBxMDckWk1IvuNBYS6KrZowDQYJKoZIhvcNAQEL
BQAwDzENMAsGA1UEAwwEd2VhazAeFw0yNjExMTgxNDE5MjlaFw0zNjExMTUxNDE5
MjlaMA8xDTALBgNVBAMMBHdlYWswXDANBgkqhkiG9w0BAQEFAANLADBIAkEA3Io6
SEgZ62mYFl4CHPnCMMCJsK7VnAaWTb+OF2HYVbjNxT0LAM+rruvXAceZsHx9hwvH
UkXdzMnjxBPnhNqzpwIDAQABo1MwUTAdBgNVHQ4EFgQUuUx3+RUWXSSF++TtZ/xd
lQ9iGSswHwYDVR0jBBgwFoAUuUx3+RUWXSSF++TtZ/xdlQ9iGSswDwYDVR0TAQH/
BAUwAwEB/zANBgkqhkiG9w0BAQsFAANBADA1ziym+vo8tmJANHdsks764i2agkxS
8EvRLY2m+OobaITp5n4PuURh425gL5P9TERSuhdEqRRDltJn3AnRdFE=
-----END CERTIFICATE-----
`;

describeOnBoth('certificate-key pairs', (server) => {
  let first: { certificate: string; key: string };
  let second: { certificate: string; key: string };
  beforeAll(async () => {
    const request = { subjectAltNames: [], validityDays: 30, algorithm: 'ecdsa' } as const;
    first = await generateCertificate({ ...request, commonName: 'first, of two' });
    second = await generateCertificate({ ...request, commonName: 'second' });
  });

  const events = (pk: string) => eventsAbout(server(), pk);
  const make = async (name: string, body: Record<string, unknown> = {}) => {
    const { status, body: made } = await server().admin.post(path, {
      name,
      certificate_data: first.certificate,
      key_data: first.key,
      ...body,
    });
    expect(status).toBe(201);
    return made;
  };

  test('a pair shows what its certificate says and never its PEM', async () => {
    const made = await make('shown');
    const certificate = new X509Certificate(first.certificate);
    expect(made).toEqual({
      pk: made.pk,
      name: 'shown',
      fingerprint_sha256: certificate.fingerprint256.toLowerCase(),
      fingerprint_sha1: certificate.fingerprint.toLowerCase(),
      cert_expiry: certificate.validToDate.toISOString().replace('Z', '000Z'),
      cert_subject: 'CN=first\\, of two',
      private_key_available: true,
      private_key_type: 'ec',
      certificate_download_url: `/api/v3/crypto/certificatekeypairs/${made.pk}/view_certificate/?download`,
      private_key_download_url: `/api/v3/crypto/certificatekeypairs/${made.pk}/view_private_key/?download`,
      managed: null,
    });
    expect((await server().admin.get(`${path}${made.pk}/`)).body).toEqual(made);
  });

  test('a key that cannot be opened any more leaves the lists whole, is shown as missing and can be set again', async () => {
    const { admin, world } = server();
    const [whole, broken] = [await make('whole'), await make('broken')];
    await world.db.write((tx) =>
      sql`update certificates set key_data = 'v1:sealed-by-another-key' where pk = ${broken.pk}`.execute(tx),
    );
    const { status, body } = await admin.get(`${path}?has_key=true`);
    expect(status).toBe(200);
    const shown = (pk: string) => body.results.find((pair: { pk: string }) => pair.pk === pk);
    expect(shown(whole.pk)).toEqual(whole);
    expect(shown(broken.pk)).toEqual({ ...broken, private_key_available: false, private_key_type: null });
    const refused = await admin.get(`${path}${broken.pk}/view_private_key/`);
    expect([refused.status, refused.body]).toEqual([
      400,
      { non_field_errors: ['The private key cannot be opened with the secret key of this server.'] },
    ]);
    expect((await admin.patch(`${path}${broken.pk}/`, { name: 'still broken' })).status).toBe(200);
    const mended = await admin.patch(`${path}${broken.pk}/`, { key_data: first.key });
    expect(mended.body).toMatchObject({ private_key_available: true, private_key_type: 'ec' });
  });

  test('the key is sealed in the database and masked in events', async () => {
    const made = await make('sealed');
    const { rows } = await sql<{ key_data: string }>`select key_data from certificates where pk = ${made.pk}`.execute(
      server().world.db.read,
    );
    expect(rows[0]?.key_data).not.toContain('PRIVATE KEY');
    const [created] = await events(made.pk);
    expect(created?.action).toBe('model_created');
    expect(created?.text).not.toContain(first.key.split('\n')[1]);
    expect(created?.context.diff.key_data.new_value).toMatch(/^\*+$/);
  });

  test('a change keeps what it does not name, and leaves one event', async () => {
    const made = await make('to rename');
    const { status, body } = await server().admin.patch(`${path}${made.pk}/`, { name: 'renamed' });
    expect(status).toBe(200);
    expect(body).toEqual({ ...made, name: 'renamed' });
    expect((await events(made.pk)).map(({ action }) => action)).toEqual(['model_created', 'model_updated']);
  });

  test('both halves can be replaced together; an empty key takes the key away', async () => {
    const made = await make('to replace');
    const replaced = await server().admin.patch(`${path}${made.pk}/`, {
      certificate_data: `  ${second.certificate}\n`,
      key_data: second.key,
    });
    expect(replaced.body.cert_subject).toBe('CN=second');
    const bare = await server().admin.patch(`${path}${made.pk}/`, { key_data: '' });
    expect(bare.status).toBe(200);
    expect(bare.body).toMatchObject({
      private_key_available: false,
      private_key_type: null,
      cert_subject: 'CN=second',
    });
  });

  test('a key of another certificate is refused, from either side', async () => {
    const made = await make('mismatch');
    const complaint = { non_field_errors: ['The private key does not belong to the certificate.'] };
    for (const body of [{ key_data: second.key }, { certificate_data: second.certificate }]) {
      const { status, body: answer } = await server().admin.patch(`${path}${made.pk}/`, body);
      expect(status).toBe(400);
      expect(answer).toEqual(complaint);
    }
    const created = await server().admin.post(path, {
      name: 'mismatch of a new pair',
      certificate_data: first.certificate,
      key_data: second.key,
    });
    expect(created.body).toEqual(complaint);
    expect((await server().admin.get(`${path}${made.pk}/`)).body).toEqual(made);
  });

  test('bad input is refused with every complaint', async () => {
    const made = await make('bad input');
    const encrypted = createPrivateKey(first.key)
      .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' })
      .toString();
    const unloadable = { key_data: ['Unable to load private key (possibly encrypted?).'] };
    const refusals: [Record<string, unknown>, Record<string, unknown>][] = [
      [{ certificate_data: 'no PEM at all' }, { certificate_data: ['Unable to load certificate.'] }],
      [{ certificate_data: first.key }, { certificate_data: ['Unable to load certificate.'] }],
      [{ certificate_data: weak }, { certificate_data: [expect.stringContaining('too short')] }],
      [{ certificate_data: '' }, { certificate_data: ['This field may not be blank.'] }],
      [{ certificate_data: null }, { certificate_data: ['This field may not be null.'] }],
      [{ key_data: encrypted }, unloadable],
      [{ key_data: first.certificate }, unloadable],
      [{ key_data: null }, { key_data: ['This field may not be null.'] }],
      [
        { name: '  ', key_data: 7 },
        { name: ['This field may not be blank.'], ...unloadable },
      ],
      [{ name: ['x'] }, { name: ['Not a valid string.'] }],
    ];
    for (const [body, complaints] of refusals) {
      const answer = await server().admin.patch(`${path}${made.pk}/`, body);
      expect([answer.status, answer.body]).toEqual([400, complaints]);
    }
    expect((await server().admin.post(path, {})).body).toEqual({
      name: ['This field is required.'],
      certificate_data: ['This field is required.'],
    });
    const again = await server().admin.post(path, { name: 'bad input', certificate_data: first.certificate });
    expect(again.body).toEqual({ name: ['Certificate-Key Pair with this name already exists.'] });
  });

  test('a list can leave the details out and keep only pairs with a key', async () => {
    await make('without key', { key_data: '' });
    await make('with key');
    const plain = await server().admin.get(`${path}?name=with key&include_details=false`);
    expect(plain.body.results[0]).toMatchObject({
      name: 'with key',
      fingerprint_sha256: null,
      fingerprint_sha1: null,
      cert_expiry: null,
      cert_subject: null,
      private_key_type: null,
      private_key_available: true,
    });
    const names = async (query: string) =>
      (await server().admin.get(`${path}?${query}`)).body.results.map(({ name }: { name: string }) => name);
    expect(await names('search=with&has_key=true')).toEqual(['with key']);
    expect(await names('search=with')).toEqual(['with key', 'without key']);
    expect(await names('search=with&has_key=false')).toEqual(['with key', 'without key']);
    expect(await names('search=with&managed=nobody')).toEqual([]);
  });

  test('generate creates a certificate with its matching key', async () => {
    const { status, body } = await server().admin.post(`${path}generate/`, {
      common_name: 'made here',
      subject_alt_name: 'gate.example, 192.0.2.7 ,,2001:db8::1',
      validity_days: 10,
      alg: 'ecdsa',
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'made here', cert_subject: 'CN=made here', private_key_type: 'ec' });
    const { data } = (await server().admin.get(`${path}${body.pk}/view_certificate/`)).body;
    const certificate = new X509Certificate(data);
    expect(certificate.subjectAltName).toBe('DNS:gate.example, IP Address:192.0.2.7, IP Address:2001:DB8:0:0:0:0:0:1');
    const key = (await server().admin.get(`${path}${body.pk}/view_private_key/`)).body.data;
    expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
    expect((await events(body.pk)).map(({ action }) => action)).toEqual([
      'model_created',
      'secret_view',
      'secret_view',
    ]);
  });

  test('generate refuses invalid input', async () => {
    await make('taken');
    const good = { common_name: 'another', validity_days: 1, alg: 'ecdsa' };
    const refusals: [Record<string, unknown>, Record<string, unknown>][] = [
      [{ common_name: 'taken' }, { common_name: ['Certificate-Key Pair with this name already exists.'] }],
      [{ subject_alt_name: 'a.example,'.repeat(1_001) }, { subject_alt_name: [expect.stringContaining('At most')] }],
      [{ subject_alt_name: 'not a host' }, { subject_alt_name: [expect.stringContaining('not a host')] }],
      [{ validity_days: 0 }, { validity_days: ['Ensure this value is greater than or equal to 1.'] }],
      [{ validity_days: 'x' }, { validity_days: ['A valid integer is required.'] }],
      [{ alg: 'dsa' }, { alg: [expect.stringContaining('"dsa" is not a valid choice.')] }],
    ];
    for (const [change, complaints] of refusals) {
      const { status, body } = await server().admin.post(`${path}generate/`, { ...good, ...change });
      expect([status, body]).toEqual([400, complaints]);
    }
    const dry = await server().admin.post(`${path}generate/?dry_run=true`, good);
    expect(dry.status).toBe(200);
    expect((await server().admin.get(`${path}?name=another`)).body.results).toEqual([]);
  });

  test('downloads are PEM files whose name is harmless', async () => {
    const made = await make('a "name"\r\nof: ünkind letters');
    const { text, headers } = await server().admin.get(`${path}${made.pk}/view_certificate/?download`);
    expect(text.trim()).toBe(first.certificate.trim());
    expect(headers.get('content-type')).toBe('application/x-pem-file');
    expect(headers.get('content-disposition')).toBe('attachment; filename="a_name_of_nkind_letters_certificate.pem"');
  });

  test('used_by names what uses a pair, and the pair can be deleted', async () => {
    const pair = await make('in use');
    const connection = await server().admin.post('/outposts/service_connections/container/', {
      name: `uses ${pair.pk}`,
      url: 'https://docker.example:2376',
      tls_verification: pair.pk,
    });
    const used = await server().admin.get(`${path}${pair.pk}/used_by/`);
    expect(used.body).toEqual([
      {
        app: 'svc_outposts',
        model_name: 'containerserviceconnection',
        pk: connection.body.pk,
        name: connection.body.name,
        action: 'set_null',
      },
    ]);
    expect((await server().admin.delete(`${path}${pair.pk}/`)).status).toBe(204);
    expect((await server().admin.get(`${path}${pair.pk}/`)).status).toBe(404);
    const left = await server().admin.get(`/outposts/service_connections/container/${connection.body.pk}/`);
    expect(left.body.tls_verification).toBeNull();
  });

  test('pairs are visible by permission, on all or on one', async () => {
    const made = await make('one of many');
    const stranger = await server().user();
    for (const target of [path, `${path}${made.pk}/`]) {
      expect((await stranger.api.get(target)).status).toBe(403);
      expect((await server().nobody.get(target)).status).toBe(403);
    }
    expect((await stranger.api.patch(`${path}${made.pk}/`, { name: 'x' })).status).toBe(403);
    expect((await stranger.api.post(`${path}generate/`, { common_name: 'x', validity_days: 1 })).status).toBe(403);
    const viewer = await server().user(['svc_crypto.view_certificatekeypair']);
    expect((await viewer.api.get(`${path}${made.pk}/`)).status).toBe(200);
    expect((await viewer.api.patch(`${path}${made.pk}/`, { name: 'x' })).status).toBe(403);
    const changer = await server().user(['svc_crypto.view_certificatekeypair', 'svc_crypto.change_certificatekeypair']);
    expect((await changer.api.patch(`${path}${made.pk}/`, { name: 'one changed' })).status).toBe(200);
    expect((await changer.api.delete(`${path}${made.pk}/`)).status).toBe(403);
    // The pair that Gatehouse ships signs what users sign in with: the permission to change it is not enough.
    const [shipped] = (await server().admin.get(`${path}?managed=gatehouse/crypto/self-signed`)).body.results;
    expect((await changer.api.patch(`${path}${shipped.pk}/`, { name: 'x' })).status).toBe(403);
    const other = await make('another of many');
    const ofOne = await server().user();
    for (const verb of ['view', 'change'])
      await grantOn(server(), ofOne.pk, `svc_crypto.${verb}_certificatekeypair`, made.pk);
    expect((await ofOne.api.get(path)).body.results.map(({ pk }: { pk: string }) => pk)).toEqual([made.pk]);
    expect((await ofOne.api.patch(`${path}${made.pk}/`, { name: 'changed by one' })).status).toBe(200);
    expect((await ofOne.api.patch(`${path}${other.pk}/`, { name: 'x' })).status).toBe(404);
    expect((await ofOne.api.get(`${path}${made.pk}/view_private_key/`)).status).toBe(403);
  });
});
