import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasDebianPackage } from './debian-package.ts';
import type { RelyingParty } from './relying-party.ts';
import { folderForDatabases } from './run-folder.ts';

const binary = '/usr/sbin/apache2';
const modules = '/usr/lib/apache2/modules';
const openidcModule = join(modules, 'mod_auth_openidc.so');

export interface Apache {
  readonly url: string;
  /** Who asked for what, by the log. */
  log(): string;
  stop(): Promise<void>;
}

/**
 * Whether there is an Apache with `mod_auth_openidc`, installed if need be. Call it at the top level of a test file.
 */
export const findApache = (): Promise<boolean> =>
  hasDebianPackage('libapache2-mod-auth-openidc', [binary, openidcModule]);

/** Protects everything below `/protected/` with the provider of a relying party. */
export const startApache = (port: number, party: RelyingParty, publicUrl: string): Promise<Apache> =>
  runApache(port, {
    loaded: [usual('auth_openidc')],
    directives: ({ url }) => openidcDirectives(url, party, publicUrl),
  });

/** Loads a module that is named as most are. */
export const usual = (name: string): string => `LoadModule ${name}_module ${join(modules, `mod_${name}.so`)}`;

interface Protection {
  /** The lines that load what protects. */
  readonly loaded: readonly string[];
  /** What protects `/protected`; further files go into the folder. */
  directives(at: { readonly url: string; readonly folder: string }): string;
}

/** An Apache with a secret page below `/protected/` and a page that anybody sees. */
export async function runApache(
  port: number,
  { loaded, directives }: Protection,
  folder = mkdtempSync(join(folderForDatabases(), 'gatehouse-test-')),
): Promise<Apache> {
  const url = `http://localhost:${port}`;
  const pages = join(folder, 'pages');
  mkdirSync(join(pages, 'protected'), { recursive: true });
  writeFileSync(
    join(pages, 'protected', 'index.html'),
    '<!doctype html><link rel="icon" href="data:,"><h1>The secret page</h1>',
  );
  writeFileSync(join(pages, 'goodbye.html'), '<!doctype html><link rel="icon" href="data:,"><h1>Goodbye</h1>');
  chmodSync(folder, 0o755);
  const accesses = join(folder, 'access.log');
  const errors = join(folder, 'error.log');
  writeFileSync(
    join(folder, 'apache.conf'),
    configuration({ folder, port, pages, accesses, errors, loaded, directives: directives({ url, folder }) }),
  );
  const child = spawn(binary, ['-f', join(folder, 'apache.conf'), '-DFOREGROUND'], { stdio: 'ignore' });
  await answering(url, child, errors);
  return {
    url,
    log: () => readFileSync(accesses, 'utf8'),
    async stop() {
      const ended = new Promise<void>((done) => child.once('exit', () => done()));
      child.kill('SIGTERM');
      await ended;
    },
  };
}

interface Setup {
  readonly folder: string;
  readonly port: number;
  readonly pages: string;
  readonly accesses: string;
  readonly errors: string;
  readonly loaded: readonly string[];
  readonly directives: string;
}

function configuration({ folder, port, pages, accesses, errors, loaded, directives }: Setup): string {
  const all = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'dir', 'mime'].map(usual);
  return `ServerRoot ${folder}
ServerName localhost
Listen 127.0.0.1:${port}
PidFile ${join(folder, 'apache.pid')}
ErrorLog ${errors}
${[...all, ...loaded].join('\n')}
${process.getuid?.() === 0 ? 'User www-data\nGroup www-data' : ''}
TypesConfig /etc/mime.types
LogFormat "%u %U %>s" who
CustomLog ${accesses} who
DocumentRoot ${pages}
DirectoryIndex index.html
${directives}`;
}

const openidcDirectives = (url: string, party: RelyingParty, publicUrl: string): string =>
  `OIDCProviderMetadataURL ${publicUrl}/application/o/${party.slug}/.well-known/openid-configuration
OIDCClientID ${party.clientId}
OIDCClientSecret ${party.clientSecret}
OIDCRedirectURI ${url}/protected/callback
OIDCDefaultLoggedOutURL ${url}/goodbye.html
OIDCCryptoPassphrase a-passphrase-for-tests-only
OIDCScope "openid profile email"
OIDCPKCEMethod S256
OIDCRemoteUserClaim preferred_username
<Location /protected>
  AuthType openid-connect
  Require valid-user
</Location>
`;

async function answering(url: string, child: ChildProcess, errors: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (child.exitCode !== null) throw new Error(`Apache ended: ${readFileSync(errors, 'utf8').slice(-2_000)}`);
    // Where everything is protected it answers with a redirect, or refuses what is no browser.
    const isThere = await fetch(`${url}/goodbye.html`, { redirect: 'manual' }).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    await sleep(100);
  }
  child.kill('SIGTERM');
  throw new Error('Apache does not answer');
}
