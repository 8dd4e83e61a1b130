import { execFile } from 'node:child_process';
import { limits } from '../../src/kinds/providers/radius/server/limits.ts';
import { hasDebianPackage } from './debian-package.ts';
import type { TestServer } from './server.ts';

export const radiusPort = { GATEHOUSE_RADIUS_PORT: '0', GATEHOUSE_RADSEC_PORT: '0' };
export const password = 'correct horse battery staple';
export const secret = 'a secret of the access points';

/** Whether FreeRADIUS's client is there, installed if need be. Call it at the top level of a test file. */
export const findRadclient = (): Promise<boolean> => hasDebianPackage('freeradius-utils', ['/usr/bin/radclient']);

export interface RadiusAnswer {
  /** `Access-Accept`, `Access-Reject`, or null without an answer that it trusts. */
  readonly answer: string | null;
  /** As radclient prints them. */
  readonly attributes: readonly string[];
}

export interface RadiusNetwork {
  readonly provider: number;
  readonly application: string;
  readonly port: number;
  readonly tlsPort: number;
  /** A new user with the password. */
  person(username: string, values?: Record<string, unknown>): Promise<{ readonly pk: number }>;
  /** Asks with a name and a password, and with further attributes in radclient's notation. */
  ask(username: string, given?: string, more?: Ask): Promise<RadiusAnswer>;
  change(values: Record<string, unknown>): Promise<void>;
  /** Waits until changes count. */
  settle(): Promise<void>;
  /** Has a new mapping with this expression answer, and only it. */
  map(expression: string): Promise<void>;
}

export interface Ask {
  readonly secret?: string;
  readonly attributes?: readonly string[];
  readonly isSigned?: boolean;
}

export interface KeyPair {
  readonly pk: string;
  readonly certificate: string;
  readonly key: string;
}

let count = 0;

/** A self-signed pair, which serves as an authority as well. */
export async function makeKeyPair({ admin }: TestServer, common_name: string): Promise<KeyPair> {
  const made = await admin.post('/crypto/certificatekeypairs/generate/', {
    ...{ common_name, subject_alt_name: '', validity_days: 30 },
  });
  const pk: string = made.body.pk;
  // Names are unique, common names are not.
  await admin.patch(`/crypto/certificatekeypairs/${pk}/`, { name: `${common_name} ${pk}` });
  const read = async (what: string) => (await admin.get(`/crypto/certificatekeypairs/${pk}/view_${what}/`)).body.data;
  return { pk, certificate: await read('certificate'), key: await read('private_key') };
}

/** A provider with an application, served by RADIUS. */
export async function makeRadiusNetwork(
  server: TestServer,
  values: Record<string, unknown> = {},
): Promise<RadiusNetwork> {
  const { admin } = server;
  count += 1;
  const application = `wifi-${count}`;
  const body = { name: `Wi-Fi ${count}`, client_networks: '127.0.0.0/8', shared_secret: secret, ...values };
  const made = await admin.post('/providers/radius/', body);
  if (made.status !== 201) throw new Error(made.text);
  const provider: number = made.body.pk;
  await admin.post('/core/applications/', { name: application, slug: application, provider });
  const portOf = (url = '') => Number(new URL(url).port);
  const [port, tlsPort] = [portOf(server.listening.RADIUS), portOf(server.listening.RadSec)];
  const settle = () => new Promise<void>((resolve) => setTimeout(resolve, limits.clientsHoldMs + 10));
  const change: RadiusNetwork['change'] = async (changed) => {
    const answer = await admin.patch(`/providers/radius/${provider}/`, changed);
    if (answer.status !== 200) throw new Error(answer.text);
    await settle();
  };
  return {
    ...{ provider, application, port, tlsPort, change, settle },
    async person(username, more = {}) {
      const user = await admin.post('/core/users/', { username, name: username, ...more });
      if (user.status !== 201) throw new Error(user.text);
      await admin.post(`/core/users/${user.body.pk}/set_password/`, { password });
      return { pk: user.body.pk };
    },
    ask(username, given = password, { secret: sent = secret, attributes = [], isSigned = true } = {}) {
      const lines = [
        `User-Name = ${JSON.stringify(username)}`,
        `User-Password = ${JSON.stringify(given)}`,
        ...attributes,
        ...(isSigned ? ['Message-Authenticator = 0x00'] : []),
      ];
      return radclient(port, sent, 'auth', lines);
    },
    async map(expression) {
      count += 1;
      const mapping = await admin.post('/propertymappings/provider/radius/', { name: `mapping ${count}`, expression });
      if (mapping.status !== 201) throw new Error(mapping.text);
      await change({ property_mappings: [mapping.body.pk] });
    },
  };
}

export function radclient(
  port: number,
  sent: string,
  command: 'auth' | 'status',
  lines: readonly string[],
  seconds = 4,
): Promise<RadiusAnswer> {
  return new Promise((resolve) => {
    const args = ['-x', '-r', '1', '-t', String(seconds), `127.0.0.1:${port}`, command, sent];
    const child = execFile('/usr/bin/radclient', args, (_, stdout) => {
      const [, answer = null, rest = ''] = /^Received (\S+) Id .*$([\s\S]*)/m.exec(stdout) ?? [];
      const attributes = rest.match(/^\t\S+ = .*$/gm) ?? [];
      resolve({ answer, attributes: attributes.map((line) => line.trim()) });
    });
    child.stdin?.end(`${lines.join('\n')}\n`);
  });
}
