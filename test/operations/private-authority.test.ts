import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { firstStart, processToken, type RunningServer, startServerProcess } from '../support/gatehouse-process.ts';
import { until } from '../support/jobs.ts';
import { type JsonServer, startJsonServer } from '../support/json-server.ts';
import { type ScimTarget, startScimTarget } from '../support/scim-target.ts';
import { newFolder } from '../support/server.ts';
import { makeSyncProvider } from '../support/sync.ts';
import { findOpenssl } from '../support/xmlsec.ts';

const hasOpenssl = await findOpenssl();

/** An authority of an organization, and a certificate for `localhost` that it has issued. */
async function makeAuthority(): Promise<{ authority: string; certificate: string; key: string }> {
  const cwd = newFolder();
  const openssl = (...args: string[]) => promisify(execFile)('openssl', args, { cwd });
  const newPair = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  writeFileSync(join(cwd, 'names'), 'subjectAltName=DNS:localhost');
  await openssl('req', '-x509', ...newPair, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Test authority');
  await openssl('req', ...newPair, '-keyout', 'key.pem', '-out', 'request.pem', '-subj', '/CN=localhost');
  const issue = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names'];
  await openssl('x509', '-req', '-in', 'request.pem', ...issue, '-out', 'certificate.pem');
  const read = (name: string) => readFileSync(join(cwd, name), 'utf8');
  return { authority: join(cwd, 'ca.pem'), certificate: read('certificate.pem'), key: read('key.pem') };
}

describe.skipIf(!hasOpenssl)('systems with certificates of an internal authority', () => {
  const closing: (() => unknown)[] = [];
  let authority: string;
  let discovery: JsonServer;
  let target: ScimTarget;
  let mails: string[];
  let settings: Record<string, string>;
  let secure: { discovery: string; target: string };

  beforeAll(async () => {
    const pair = await makeAuthority();
    ({ authority } = pair);
    const tls = { cert: pair.certificate, key: pair.key };

    /** Puts TLS in front of a server. */
    async function withTls(origin: string): Promise<string> {
      const port = Number(new URL(origin).port);
      const server = createTlsServer(tls, (socket: TLSSocket) => {
        const inner = connect(port, '127.0.0.1');
        for (const end of [socket, inner]) end.on('error', () => {});
        socket.pipe(inner).pipe(socket);
      });
      server.on('tlsClientError', () => {});
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      closing.push(() => server.close());
      return `https://localhost:${(server.address() as AddressInfo).port}`;
    }

    discovery = await startJsonServer(() => ({ status: 200, body: documentOf(secure.discovery) }));
    target = await startScimTarget();
    mails = [];
    const smtp = new SMTPServer({
      ...tls,
      secure: true,
      authOptional: true,
      onData(stream, session, done) {
        stream.resume().on('end', () => {
          mails.push(...session.envelope.rcptTo.map(({ address }) => address));
          done();
        });
      },
    });
    smtp.on('error', () => {});
    await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
    const { port } = smtp.server.address() as AddressInfo;
    closing.push(
      () => smtp.close(() => {}),
      () => target.close(),
      () => discovery.close(),
    );
    secure = { discovery: await withTls(discovery.origin), target: await withTls(target.origin) };
    settings = {
      ...firstStart,
      GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8,::1/128',
      GATEHOUSE_BOOTSTRAP_EMAIL: 'ada@example.org',
      GATEHOUSE_SMTP_URL: `smtps://localhost:${port}`,
      GATEHOUSE_SMTP_FROM: 'gatehouse@example.org',
    };
  });
  afterAll(async () => {
    for (const close of closing) await close();
  });

  const documentOf = (issuer: string) => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    keys: [],
  });

  async function withServer(env: Record<string, string>, use: (admin: Api, server: RunningServer) => Promise<void>) {
    const server = await startServerProcess({ ...settings, ...env, GATEHOUSE_DATA_DIR: newFolder() });
    try {
      await use(server.as(processToken), server);
    } finally {
      await server.stop();
    }
  }

  /** Tries a source, a push and a mail. */
  async function makeAll(admin: Api) {
    const source = {
      ...{ name: 'Company', slug: 'company', provider_type: 'openidconnect', consumer_key: 'a', consumer_secret: 'b' },
      oidc_well_known_url: `${secure.discovery}/.well-known/openid-configuration`,
    };
    expect((await admin.post('/sources/oauth/', source)).status).toBe(201);
    const provider = await makeSyncProvider(admin, 'scim', { ...target.settings, url: `${secure.target}/v2` });
    const mail = await admin.post('/admin/mail/test/');
    return { provider, mail };
  }

  test('are reached with NODE_EXTRA_CA_CERTS', async () => {
    await withServer({ NODE_EXTRA_CA_CERTS: authority }, async (admin) => {
      const { mail } = await makeAll(admin);
      expect(mail.status).toBeLessThan(300);
      expect(mails).toEqual(['ada@example.org']);
      await until(async () => [...target.users.values()].some(({ userName }) => userName === 'admin'));
      await until(async () => (await admin.get('/sources/oauth/company/')).body.authorization_url !== '');
    });
  });

  test('are not reached without it, and the reason names the certificate', async () => {
    mails.length = 0;
    target.users.clear();
    await withServer({}, async (admin, server) => {
      const { mail, provider } = await makeAll(admin);
      expect(mail.status).toBe(400);
      expect(mail.text).toMatch(/certificate/);
      await until(async () =>
        /certificate/.test((await admin.get(`/providers/scim/${provider.pk}/sync/status/`)).text),
      );
      await until(async () => /certificate/.test((await admin.get('/events/system_tasks/')).text + server.stdout()));
      expect([mails, target.users.size]).toEqual([[], 0]);
    });
  });
});
