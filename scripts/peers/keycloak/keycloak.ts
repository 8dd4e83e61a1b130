import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installDebianPackage } from '../../../test/support/debian-package.ts';
import { freePort } from '../../../test/support/free-port.ts';
import { until } from '../../../test/support/jobs.ts';
import { endOf, failureOf } from '../peer.ts';

const version = '26.7.0';
const maven = '/usr/bin/mvn';
const artifact = `org.keycloak:keycloak-quarkus-dist:${version}:zip`;

/** Unpacks it in a folder; null when it is there, else what could not be had. */
export async function fetchKeycloak(folder: string): Promise<string | null> {
  if (!existsSync(maven)) {
    // It brings Java along.
    const reason = await installDebianPackage('maven');
    if (reason !== null) return reason;
  }
  const unpack = ['-q', '-B', 'dependency:unpack', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`];
  // Maven leaves files where it runs.
  return failureOf(maven, unpack, {}, folder);
}

/** A running Keycloak. */
export interface Keycloak {
  readonly url: string;
  /** Of the script that starts Java. */
  readonly pid: number;
  /** Calls its admin API; anything but success is an error. A text is sent as it is. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
  admin(method: string, path: string, body?: unknown): Promise<any>;
  /** A new token for its admin API. */
  token(): Promise<string>;
  stop(): Promise<void>;
}

const account = { username: 'admin', password: 'the-password-of-keycloak' };

/** As people try it out: with its database in its own folder. */
const development = ['start-dev'];

export const scriptOf = (folder: string): string => join(folder, `keycloak-${version}`, 'bin', 'kc.sh');

/** Starts it on free ports. */
export async function startKeycloak(
  folder: string,
  start: readonly string[] = development,
  heap = '-Xms64m -Xmx768m',
): Promise<Keycloak> {
  const [port, management] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const ports = [`--http-port=${port}`, `--http-management-port=${management}`];
  const process_ = spawn('bash', [scriptOf(folder), ...start, '--http-host=127.0.0.1', ...ports], {
    stdio: 'ignore',
    env: {
      ...process.env,
      JAVA_OPTS_KC_HEAP: heap,
      KC_BOOTSTRAP_ADMIN_USERNAME: account.username,
      KC_BOOTSTRAP_ADMIN_PASSWORD: account.password,
    },
  });
  const stop = () => endOf(process_);
  let hasEnded = false;
  process_.once('exit', () => {
    hasEnded = true;
  });
  try {
    await until(async () => {
      if (hasEnded) throw new Error('Keycloak did not start');
      return fetch(`${url}/realms/master`).then(
        ({ ok }) => ok,
        () => false,
      );
    }, 600);
  } catch (error) {
    await stop();
    throw error;
  }
  return connectTo(url, process_.pid as number, stop);
}

function connectTo(url: string, pid: number, stop: () => Promise<void>): Keycloak {
  /** Tokens live for a minute: each call gets its own. */
  async function token(): Promise<string> {
    const body = new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...account });
    const answer = await fetch(`${url}/realms/master/protocol/openid-connect/token`, { method: 'POST', body });
    const { access_token } = (await answer.json()) as { access_token: string };
    return access_token;
  }
  return {
    url,
    pid,
    token,
    stop,
    async admin(method, path, body) {
      const isText = typeof body === 'string';
      const answer = await fetch(`${url}/admin/realms${path}`, {
        method,
        headers: {
          authorization: `Bearer ${await token()}`,
          'content-type': isText ? 'application/xml' : 'application/json',
        },
        ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`Keycloak: ${method} ${path}: ${answer.status} ${text}`);
      return text === '' ? null : JSON.parse(text);
    },
  };
}
