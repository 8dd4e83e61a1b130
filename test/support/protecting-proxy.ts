import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { caddy } from '../../web/admin/applications/forward-auth/caddy.ts';
import { haproxy } from '../../web/admin/applications/forward-auth/haproxy.ts';
import { nginx } from '../../web/admin/applications/forward-auth/nginx.ts';
import type { ConfigurationFile, Setup } from '../../web/admin/applications/forward-auth/setup.ts';
import { hasDebianPackage } from './debian-package.ts';

/** A reverse proxy that runs with the configuration that the administration shows. */
export interface ProtectingKind {
  readonly name: string;
  readonly binary: string;
  /** It cannot remove the spellings with `.`, so that the check refuses requests with them. */
  readonly leavesDots?: boolean;
  readonly files: (setup: Setup) => ConfigurationFile[];
  /**
   * Writes the files as they are, with what surrounds them on a machine. Gives the arguments to start the proxy with.
   */
  readonly place: (folder: string, files: readonly ConfigurationFile[], setup: Setup) => string[];
}

const textOf = (files: readonly ConfigurationFile[], at = 0) => files[at]?.text ?? '';

/** Those of Debian, which the suite runs. */
export const protectingKinds: readonly (ProtectingKind & { readonly package: string })[] = [
  {
    name: 'nginx',
    binary: '/usr/sbin/nginx',
    package: 'nginx-light',
    files: nginx,
    place(folder, files) {
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${join(folder, name)};`,
      );
      writeFileSync(
        join(folder, 'nginx.conf'),
        `daemon off; pid ${join(folder, 'pid')}; error_log stderr;
        events {} http { access_log off; ${temporary.join(' ')}\n${textOf(files)} }`,
      );
      return ['-p', folder, '-c', join(folder, 'nginx.conf')];
    },
  },
  {
    name: 'Caddy',
    binary: '/usr/bin/caddy',
    package: 'caddy',
    files: caddy,
    place(folder, files) {
      writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n}\n${textOf(files)}`);
      return ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')];
    },
  },
  {
    name: 'HAProxy',
    binary: '/usr/sbin/haproxy',
    package: 'haproxy',
    files: haproxy,
    place(folder, files) {
      writeFileSync(join(folder, 'gatehouse.lua'), textOf(files, 1));
      writeFileSync(
        join(folder, 'haproxy.cfg'),
        textOf(files).replace('/etc/haproxy/gatehouse.lua', join(folder, 'gatehouse.lua')),
      );
      return ['-db', '-f', join(folder, 'haproxy.cfg')];
    },
  },
];

export const findProtecting = ({ binary, package: name }: (typeof protectingKinds)[number]): Promise<boolean> =>
  hasDebianPackage(name, [binary]);

/** Starts the proxy and waits until it serves the application. */
export async function startProtecting(kind: ProtectingKind, setup: Setup): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-proxy-'));
  const child = spawn(kind.binary, kind.place(folder, kind.files(setup), setup), {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder },
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const deadline = Date.now() + 30_000;
  while (!(await isServing(setup))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`the proxy did not start:\n${said}`);
    await sleep(50);
  }
  return async () => {
    child.kill('SIGTERM');
    await ended;
  };
}

/** Some proxies listen before they have read their configuration. */
const isServing = ({ application }: Setup): Promise<boolean> =>
  sendTo(`${application.origin}/outpost.gatehouse/ping`).then(
    ({ status }) => status < 300,
    () => false,
  );

/** A request to the proxy with exactly these headers. */
export function sendTo(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<{ status: number; headers: Readonly<Record<string, string | string[] | undefined>>; text: string }> {
  const { host, port, pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      path: pathname + search,
      method,
      agent: false,
      headers: { host, ...headers },
    };
    const sent = request(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text: '' });
    });
    sent.on('error', reject).end();
  });
}
