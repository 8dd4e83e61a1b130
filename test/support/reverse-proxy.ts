import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateCertificate } from '../../src/lib/certificate/generate-certificate.ts';
import { hasDebianPackage } from './debian-package.ts';
import { freePort } from './free-port.ts';
import { newFolder } from './server.ts';

/** The certificate that a proxy of the tests shows, and the ports that it uses. */
export interface ProxyPlace {
  readonly folder: string;
  readonly certificate: string;
  readonly securePort: number;
  readonly plainPort: number;
}

export interface ProxyKind {
  readonly binary: string;
  readonly package: string;
  /** Writes the shipped file with the names and ports of the test. Gives the arguments to start the proxy with. */
  configure(place: ProxyPlace, upstreams: readonly string[]): string[];
}

const shipped = (name: string) => readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8');

/** Replaces every occurrence; what is not there means that the shipped file has changed and the test has to follow. */
function withReplaced(text: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`the shipped file has no "${from}"`);
    return changed.replaceAll(from, to);
  }, text);
}

export const nginx: ProxyKind = {
  binary: '/usr/sbin/nginx',
  package: 'nginx-light',
  configure({ folder, securePort, plainPort }, [upstream = '']) {
    const site = withReplaced(shipped('nginx.conf'), {
      'id.example.com;': 'localhost;',
      'listen 80;': `listen 127.0.0.1:${plainPort};`,
      'listen 443 ssl http2;': `listen 127.0.0.1:${securePort} ssl http2;`,
      '127.0.0.1:9000': upstream,
      '/etc/letsencrypt/live/id.example.com/fullchain.pem': join(folder, 'certificate.pem'),
      '/etc/letsencrypt/live/id.example.com/privkey.pem': join(folder, 'key.pem'),
    });
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${join(folder, name)};`,
    );
    writeFileSync(
      join(folder, 'nginx.conf'),
      `daemon off; pid ${join(folder, 'pid')}; error_log stderr;
      events {} http { access_log off; ${temporary.join(' ')} ${site} }`,
    );
    return ['-p', folder, '-c', join(folder, 'nginx.conf')];
  },
};

export const caddy: ProxyKind = {
  binary: '/usr/bin/caddy',
  package: 'caddy',
  configure({ folder, securePort, plainPort }, [upstream = '']) {
    const site = withReplaced(shipped('Caddyfile'), {
      'id.example.com {': `localhost:${securePort} {\n\tbind 127.0.0.1\n\ttls ${join(folder, 'certificate.pem')} ${join(folder, 'key.pem')}`,
      '127.0.0.1:9000': upstream,
    });
    writeFileSync(
      join(folder, 'Caddyfile'),
      `{\n\tadmin off\n\tauto_https disable_redirects\n\thttp_port ${plainPort}\n\thttps_port ${securePort}\n}\n${site}`,
    );
    return ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')];
  },
};

export const haproxy: ProxyKind = {
  binary: '/usr/sbin/haproxy',
  package: 'haproxy',
  configure({ folder, securePort, plainPort }, [first = '', second = first]) {
    const pem = ['certificate.pem', 'key.pem'].map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
    writeFileSync(join(folder, 'both.pem'), pem);
    const config = withReplaced(shipped('haproxy.cfg'), {
      'bind :80': `bind 127.0.0.1:${plainPort}`,
      'bind :443': `bind 127.0.0.1:${securePort}`,
      '/etc/haproxy/id.example.com.pem': join(folder, 'both.pem'),
      '10.0.0.11:9000': first,
      '10.0.0.12:9000': second,
      // On a busy machine a health check may take seconds, and HAProxy would take the last instance for dead.
      'timeout connect 2s': 'timeout connect 10s\n    timeout check 20s',
    });
    writeFileSync(join(folder, 'haproxy.cfg'), config);
    return ['-db', '-f', join(folder, 'haproxy.cfg')];
  },
};

/** Whether the proxy is there, installed if need be. */
export const findProxy = ({ binary, package: name }: ProxyKind): Promise<boolean> => hasDebianPackage(name, [binary]);

/** A place for a proxy: what the server behind it must know as its public address. */
export async function newProxyPlace(): Promise<ProxyPlace> {
  const folder = newFolder();
  const [securePort, plainPort] = [await freePort(), await freePort()];
  const { certificate, key } = await generateCertificate({
    commonName: 'localhost',
    subjectAltNames: ['localhost'],
    validityDays: 1,
    algorithm: 'ecdsa',
  });
  writeFileSync(join(folder, 'certificate.pem'), certificate);
  writeFileSync(join(folder, 'key.pem'), key);
  return { folder, certificate, securePort, plainPort };
}

/** Starts the proxy and waits until it answers. */
export async function startProxy(
  kind: ProxyKind,
  place: ProxyPlace,
  ...upstreams: readonly string[]
): Promise<() => Promise<void>> {
  const args = kind.configure(
    place,
    upstreams.map((url) => new URL(url).host),
  );
  const child = spawn(kind.binary, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, XDG_DATA_HOME: place.folder, XDG_CONFIG_HOME: place.folder, HOME: place.folder },
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const deadline = Date.now() + 30_000;
  while (!(await isListening(place.securePort))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`the proxy did not start:\n${said}`);
    await sleep(50);
  }
  return async () => {
    child.kill('SIGTERM');
    await ended;
  };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
