import { beforeAll, expect, test } from 'vitest';
import { generateCertificate } from '../../src/lib/certificate/generate-certificate.ts';
import { describeOnSqlite } from '../support/server.ts';

// A private key was handed to whoever asked for its download address, or merely could see the pair.
describeOnSqlite('private keys', (server) => {
  let pk: string;
  let secretLine: string;
  beforeAll(async () => {
    const pair = await generateCertificate({
      commonName: 'guarded',
      subjectAltNames: [],
      validityDays: 1,
      algorithm: 'ecdsa',
    });
    secretLine = pair.key.split('\n')[1] as string;
    const body = { name: 'guarded', certificate_data: pair.certificate, key_data: pair.key };
    pk = (await server().admin.post('/crypto/certificatekeypairs/', body)).body.pk;
  });
  const urls = async () => {
    const { body } = await server().admin.get(`/crypto/certificatekeypairs/${pk}/`);
    const key = body.private_key_download_url as string;
    return { certificate: body.certificate_download_url as string, keys: [key, key.replace('?download', '')] };
  };

  test('are refused to anonymous callers, strangers, and callers who may only view or change the pair', async () => {
    const callers = [
      server().nobody,
      (await server().user()).api,
      (await server().user(['svc_crypto.view_certificatekeypair'])).api,
      (await server().user(['svc_crypto.view_certificatekeypair', 'svc_crypto.change_certificatekeypair'])).api,
      (await server().user(['svc_crypto.view_certificatekeypair_key'])).api,
    ];
    for (const api of callers) {
      for (const url of (await urls()).keys) {
        const { status, text } = await api.get(url);
        expect(status).toBe(403);
        expect(text).not.toContain(secretLine);
      }
    }
    expect((await server().nobody.get((await urls()).certificate)).status).toBe(403);
  });

  test('are downloaded with their own permission, certificates with the view permission, and each download is recorded', async () => {
    const holder = await server().user([
      'svc_crypto.view_certificatekeypair',
      'svc_crypto.view_certificatekeypair_key',
    ]);
    const { certificate, keys } = await urls();
    expect((await holder.api.get(certificate)).text).toContain('BEGIN CERTIFICATE');
    for (const url of keys) expect((await holder.api.get(url)).text).toContain(secretLine);
    const { body } = await server().admin.get(`/events/events/?action=secret_view&username=${holder.username}`);
    const types = body.results.map((event: { context: { type: string } }) => event.context.type).sort();
    expect(types).toEqual(['certificate', 'private_key', 'private_key']);
    expect(JSON.stringify(body)).not.toContain(secretLine);
  });

  test('never appear in the pair, its list, its events or its error messages', async () => {
    const { admin } = server();
    const answers = [
      await admin.get(`/crypto/certificatekeypairs/${pk}/`),
      await admin.get('/crypto/certificatekeypairs/'),
      await admin.patch(`/crypto/certificatekeypairs/${pk}/`, { name: 'guarded still' }),
      await admin.patch(`/crypto/certificatekeypairs/${pk}/`, { certificate_data: 'x' }),
      await admin.get('/events/events/?page_size=1000'),
    ];
    for (const { text } of answers) expect(text).not.toContain(secretLine);
  });
});
