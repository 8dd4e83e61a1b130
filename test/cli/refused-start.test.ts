import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { generateCertificate } from '../../src/lib/certificate/generate-certificate.ts';
import { runGatehouse } from '../support/gatehouse-process.ts';
import { freshPostgresDatabase } from '../support/postgres.ts';
import { unprivilegedUser } from '../support/postgres-cluster.ts';
import { newFolder } from '../support/server.ts';

test('a first start on a port that is taken makes nothing and shows no password', async () => {
  const other = createServer();
  const port = await new Promise<number>((resolve) => {
    other.listen(0, '127.0.0.1', () => resolve((other.address() as AddressInfo).port));
  });
  const folder = newFolder();
  const refused = await runGatehouse(['serve'], { GATEHOUSE_DATA_DIR: folder, PORT: String(port) });
  other.close();
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain(`Port ${port} on 127.0.0.1 is taken`);
  expect(readdirSync(folder)).toEqual([]);
});

test.each(['192.0.2.1', 'no.such.host.invalid', 'fe80::1'])('a first start on HOST %s makes nothing', async (HOST) => {
  const folder = newFolder();
  const refused = await runGatehouse(['serve'], { GATEHOUSE_DATA_DIR: folder, HOST });
  expect(refused).toMatchObject({ code: 1, stderr: `HOST ${HOST} is not an address of this machine.\n` });
  expect(refused.stdout).not.toContain('password  ');
  expect(readdirSync(folder)).toEqual([]);
});

const program = fileURLToPath(new URL('../../scripts/gatehouse.mjs', import.meta.url));
const somebody = unprivilegedUser() ?? {};
const canRun = spawnSync('test', ['-r', program], { ...somebody }).status === 0;

test.skipIf(!canRun)('a data folder whose files belong to another user is refused by every command', () => {
  const folder = newFolder();
  chmodSync(folder, 0o777);
  const file = join(folder, 'gatehouse.db');
  writeFileSync(file, '', { mode: 0 });
  for (const command of ['serve', 'migrate', 'check', 'recover-admin']) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, command], {
      ...somebody,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, GATEHOUSE_DATA_DIR: folder, PORT: '0' },
    });
    expect(status).toBe(1);
    expect(stdout + stderr).toContain(`The data folder ${folder} cannot be used (GATEHOUSE_DATA_DIR): EACCES`);
    expect(stdout + stderr).toContain(file);
  }
  expect(readdirSync(folder)).toEqual(['gatehouse.db']);
});

const database = await freshPostgresDatabase();
afterAll(() => database?.drop());

test.skipIf(!database)('a PostgreSQL that refuses is named, without its password', async () => {
  const url = new URL(database?.url ?? '');
  const role = `poor_${process.pid}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(`create role ${role} login`);
  try {
    for (const [change, complaint] of [
      [() => Object.assign(url, { pathname: `${url.pathname}-none` }), /refuses \(DATABASE_URL\): database ".*-none"/],
      [
        () => Object.assign(url, { pathname: url.pathname.replace('-none', ''), username: role, password: 'hunter2' }),
        /refuses \(DATABASE_URL\): permission denied for schema public/,
      ],
    ] as const) {
      change();
      const refused = await runGatehouse(['serve'], {
        GATEHOUSE_DATA_DIR: newFolder(),
        PORT: '0',
        DATABASE_URL: url.href,
      });
      expect(refused.code).toBe(1);
      expect(refused.stderr).toMatch(complaint);
      expect(refused.stdout + refused.stderr).not.toContain('hunter2');
    }
  } finally {
    await client.query(`drop role ${role}`);
    await client.end();
  }
});

test('a PostgreSQL with a certificate of an unknown authority is named', async () => {
  const names = { commonName: 'localhost', subjectAltNames: ['localhost'] };
  const { certificate, key } = await generateCertificate({ ...names, validityDays: 1, algorithm: 'ecdsa' });
  const peer = createServer((socket) => {
    socket
      .on('error', () => {})
      .once('data', () => {
        // As PostgreSQL agrees to TLS.
        socket.write('S');
        new TLSSocket(socket, { isServer: true, cert: certificate, key }).on('error', () => {});
      });
  });
  await new Promise<void>((resolve) => peer.listen(0, '127.0.0.1', resolve));
  const { port } = peer.address() as AddressInfo;
  for (const mode of ['verify-full', 'require']) {
    const refused = await runGatehouse(['serve'], {
      GATEHOUSE_DATA_DIR: newFolder(),
      PORT: '0',
      DATABASE_URL: `postgres://gatehouse@localhost:${port}/gatehouse?sslmode=${mode}`,
    });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /localhost:\d+\/gatehouse\S* cannot be reached: its certificate is not signed by an authority/,
    );
    // pg warns at length about `require`.
    expect(refused.stderr).not.toContain('WARNING');
  }
  peer.close();
});
