import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Agent, fetch } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../src/platform/config.ts';
import { hasDebianPackage } from '../support/debian-package.ts';
import {
  firstStart,
  processPassword,
  processToken,
  type RunningServer,
  startServerProcess,
} from '../support/gatehouse-process.ts';
import { ldapPorts } from '../support/ldap-directory.ts';
import { findLdapTools, runLdap } from '../support/ldap-tools.ts';
import { unique } from '../support/make-walk.ts';
import { startOutpost } from '../support/outpost-process.ts';
import { signInByPassword } from '../support/password-sign-in.ts';
import {
  caddy,
  findProxy,
  haproxy,
  newProxyPlace,
  nginx,
  type ProxyPlace,
  startProxy,
} from '../support/reverse-proxy.ts';
import { newFolder } from '../support/server.ts';
import { unpackFromTrixie } from '../support/trixie-packages.ts';

const run = promisify(execFile);
await findLdapTools();
const hasSystemd = await hasDebianPackage('systemd', ['/usr/bin/systemd-analyze']);
const composeFolder = await unpackFromTrixie('docker-compose', ['docker-compose']);
const compose = join(composeFolder ?? '', 'usr/libexec/docker/cli-plugins/docker-compose');
const hasCompose = composeFolder !== null && (await findProxy(caddy));
const deploy = (name: string) => new URL(`../../deploy/${name}`, import.meta.url);

describe.for([
  { name: 'nginx', kind: nginx, isThere: await findProxy(nginx) },
  { name: 'Caddy', kind: caddy, isThere: await findProxy(caddy) },
  { name: 'HAProxy', kind: haproxy, isThere: await findProxy(haproxy) },
])('behind $name as docs/deployment.md has it', ({ kind, isThere }) => {
  describe.skipIf(!isThere)('the server', () => {
    let place: ProxyPlace;
    let server: RunningServer;
    let stopProxy: () => Promise<void>;
    let dispatcher: Agent;
    const at = (path: string) => `https://localhost:${place.securePort}${path}`;
    const ask = (path: string, init: Parameters<typeof fetch>[1] = {}) =>
      fetch(at(path), { redirect: 'manual', ...init, dispatcher });

    beforeAll(async () => {
      place = await newProxyPlace();
      server = await startServerProcess({
        ...firstStart,
        GATEHOUSE_DATA_DIR: newFolder(),
        GATEHOUSE_PUBLIC_URL: `https://localhost:${place.securePort}`,
        GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1/32',
      });
      stopProxy = await startProxy(kind, place, server.url);
      dispatcher = new Agent({ connect: { ca: place.certificate } });
    });
    afterAll(async () => {
      await dispatcher?.close();
      await stopProxy?.();
      await server?.stop();
    });

    test('signs people in with cookies that are sent over TLS only', async () => {
      const { cookie, setCookies } = await signInByPassword(ask, 'admin', processPassword);
      for (const set of setCookies) expect(set).toMatch(/^__Host-.*; Secure/i);
      expect(setCookies).not.toEqual([]);
      const me = await ask('/api/v3/core/users/me/', { headers: { cookie } });
      expect(await me.json()).toMatchObject({ user: { username: 'admin' } });
    });

    test('records the real address of the client, whatever its headers claim', async () => {
      const headers = {
        authorization: `Bearer ${processToken}`,
        'content-type': 'application/json',
        'x-forwarded-for': '203.0.113.7',
      };
      const body = JSON.stringify({ name: unique('from-outside') });
      const made = await ask('/api/v3/core/groups/', { method: 'POST', headers, body });
      expect(made.status).toBe(201);
      const events = await ask('/api/v3/events/events/?action=model_created&ordering=-created', { headers });
      expect(((await events.json()) as { results: { client_ip: string }[] }).results[0]?.client_ip).toBe('127.0.0.1');
    });

    test('hides the metrics and shows the health check', async () => {
      expect((await ask('/-/metrics')).status).toBe(404);
      expect((await ask('/-/health/ready/')).status).toBeLessThan(300);
    });

    test('passes on long addresses, redirects and form values', async () => {
      for (const length of [4_000, 7_000]) {
        const state = 'x'.repeat(length);
        const response = await ask(`/if/user/?next=${encodeURIComponent(`/if/user/?state=${state}`)}`);
        expect([length, response.status]).toEqual([length, 302]);
        expect(response.headers.get('location')).toContain(state);
      }
    });

    test('passes on what outposts send for LDAP', async () => {
      const admin = server.as(processToken);
      const { body } = await admin.post('/providers/ldap/', { name: 'Directory', base_dn: 'DC=example' });
      await admin.post('/core/applications/', { name: 'Files', slug: 'files', provider: body.pk });
      const options = {
        ...{ type: 'ldap', address: at('') },
        env: { ...ldapPorts, NODE_EXTRA_CA_CERTS: join(place.folder, 'certificate.pem') },
      };
      const outpost = await startOutpost({ admin, url: server.url }, [body.pk], {}, options);
      const bind = ['-D', 'cn=admin,ou=users,DC=example', '-w', processPassword];
      const { stdout } = await runLdap('ldapwhoami', outpost.listening.LDAPS ?? '', bind);
      await outpost.stop();
      expect(stdout).toBe('dn:cn=admin,ou=users,DC=example\n');
    });

    test('uses the public address in links', async () => {
      const response = await ask('/if/user/');
      const location = new URL(response.headers.get('location') ?? '', at('/'));
      expect([response.status, location.origin]).toEqual([302, `https://localhost:${place.securePort}`]);
    });
  });
});

describe('deployment files', () => {
  test.skipIf(!hasSystemd)('the systemd unit is valid', async () => {
    const unit = readFileSync(deploy('gatehouse.service'), 'utf8');
    const folder = newFolder();
    const file = join(folder, 'gatehouse.service');
    // The program has to exist for the check, and it is not installed here.
    writeFileSync(
      file,
      unit.replaceAll('/opt/gatehouse/node_modules/.bin/node', process.execPath).replaceAll('/opt/gatehouse', folder),
    );
    const { stderr } = await run('systemd-analyze', ['verify', '--man=no', file]);
    expect(stderr).not.toContain('gatehouse.service');
  });

  test.skipIf(!hasCompose).each([
    { file: 'compose.yaml', upstreams: ['gatehouse:9000'] },
    { file: 'compose.postgres.yaml', upstreams: ['gatehouse-1:9000', 'gatehouse-2:9000'] },
  ])(
    '$file is valid for Compose, its settings for the server and its Caddyfile for Caddy',
    async ({ file, upstreams }) => {
      const env = { DOMAIN: 'id.example.org', POSTGRES_PASSWORD: 'hunter2', GATEHOUSE_SECRET_KEY: 'k'.repeat(32) };
      const path = fileURLToPath(deploy(file));
      const { stdout } = await run(compose, ['-f', path, 'config', '--format', 'json'], { env });
      const { services, configs } = JSON.parse(stdout);
      for (const upstream of upstreams) {
        const { environment, stop_grace_period } = services[upstream.replace(':9000', '')];
        const { publicUrl, shutdownDelaySeconds, databaseUrl } = readConfig({ HOST: '0.0.0.0', ...environment });
        expect(publicUrl).toBe('https://id.example.org');
        // Compose kills what has not ended by then; requests in flight have 25 s.
        expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThanOrEqual(shutdownDelaySeconds + 30);
        expect(databaseUrl).toBe(upstreams.length > 1 ? 'postgres://gatehouse:hunter2@postgres/gatehouse' : null);
      }
      const caddyfile = join(newFolder(), 'Caddyfile');
      // Compose would read a single dollar as a variable of its own.
      writeFileSync(caddyfile, configs.caddyfile.content.replaceAll('$$', '$'));
      const adapted = await run(caddy.binary, ['adapt', '--adapter', 'caddyfile', '--config', caddyfile], { env });
      const dialled = [...adapted.stdout.matchAll(/"dial":"([^"]*)"/g)].map(([, address]) => address);
      expect(dialled).toEqual(upstreams);
      expect(adapted.stdout).toContain('"host":["id.example.org"]');
      expect(adapted.stdout.includes('/-/health/ready/')).toBe(upstreams.length > 1);
    },
  );

  test('traefik.yaml is strict YAML with unique keys', () => {
    const text = readFileSync(deploy('traefik.yaml'), 'utf8');
    expect(parse(text, { strict: true, uniqueKeys: true, merge: true })).toBeTypeOf('object');
  });
});
