import { deepEqual, equal } from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findChromium } from '../../test/support/chromium.ts';
import { hasDebianPackage } from '../../test/support/debian-package.ts';
import { freePort } from '../../test/support/free-port.ts';
import { findPostgres, startCluster } from '../../test/support/postgres-cluster.ts';
import { unpackFromTrixie } from '../../test/support/trixie-packages.ts';
import { zabbix as template } from '../../web/admin/applications/templates/zabbix.ts';
import { whoIsHere } from './gatehouse.ts';
import { failureOf, fetchJson, type Peer } from './peer.ts';
import { dana, group, inScene, omar, signIn, type TemplateScene } from './template-scene.ts';

const php = '/usr/bin/php';
const phpPackages = 'php-cli php-pgsql php-xml php-gd php-mbstring php-bcmath';
const unpacked = () => unpackFromTrixie('zabbix', ['zabbix-frontend-php', 'zabbix-server-pgsql']);

/** The pages of Zabbix (Debian 13, with PHP and PostgreSQL of this machine), set up with the text of its template. */
export const zabbix: Peer = {
  name: 'Zabbix',
  async prepare() {
    if ((await findChromium()) === null) return 'there is no Chromium';
    if (!(await hasDebianPackage(phpPackages, [php]))) return 'there is no PHP';
    const postgres = await findPostgres();
    if ('reason' in postgres) return postgres.reason;
    return (await unpacked()) === null ? 'there are no packages of Debian 13' : null;
  },
  async run(folder) {
    const postgres = await findPostgres();
    if ('reason' in postgres) return false;
    return inScene(folder, (scene) => checkZabbix(scene, folder, postgres.programs));
  },
};

async function checkZabbix(scene: TemplateScene, parent: string, postgres: string): Promise<void> {
  const folder = mkdtempSync(join(parent, 'zabbix-'));
  const port = await freePort();
  const address = `http://localhost:${port}`;
  const share = join((await unpacked()) ?? '', 'usr', 'share');
  const cluster = await startCluster(postgres);
  try {
    const socket = new URL(cluster.adminUrl).searchParams.get('host') ?? '';
    const psql = `${postgres}/psql -q -v ON_ERROR_STOP=1 -o /dev/null -h '${socket}' -U gatehouse`;
    const tables = ['schema', 'images', 'data'].map((name) => `${share}/zabbix-server-pgsql/${name}.sql.gz`);
    const fill = `${psql} -c 'create database zabbix' postgres && zcat ${tables.join(' ')} | ${psql} zabbix`;
    equal(await failureOf('sh', ['-c', fill]), null);
    const pages = join(folder, 'pages');
    cpSync(join(share, 'zabbix'), pages, { recursive: true, verbatimSymlinks: true });
    const configuration = join(folder, 'zabbix.conf.php');
    writeFileSync(configuration, configurationFor(socket));
    // Debian's is in a fixed place.
    const reader = join(pages, 'include', 'classes', 'core', 'CConfigFile.php');
    writeFileSync(reader, readFileSync(reader, 'utf8').replace('/etc/zabbix/zabbix.conf.php', configuration));
    await scene.start(php, ['-S', `127.0.0.1:${port}`, '-t', pages], {}, `${address}/index.php`);
    const call = await openApi(address);
    await enter(await scene.register(template, address), call);
    const metadata = await fetch(`${scene.gatehouse}/application/saml/${template.id}/metadata/`);
    writeFileSync(join(pages, 'conf', 'certs', 'idp.crt'), certificateIn(await metadata.text()));
    await signInAndOut(scene, address, call);
  } finally {
    await cluster.stop();
  }
}

const configurationFor = (socket: string) => `<?php
$DB = ['TYPE' => 'POSTGRESQL', 'SERVER' => '${socket}', 'PORT' => '0', 'DATABASE' => 'zabbix', 'USER' => 'gatehouse',
  'PASSWORD' => '', 'SCHEMA' => '', 'ENCRYPTION' => false, 'KEY_FILE' => '', 'CERT_FILE' => '', 'CA_FILE' => '',
  'VERIFY_HOST' => false, 'CIPHER_LIST' => '', 'VAULT' => '', 'DOUBLE_IEEE754' => true];
$ZBX_SERVER_NAME = '';
$IMAGE_FORMAT_DEFAULT = IMAGE_FORMAT_PNG;
`;

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
type ZabbixApi = (method: string, params: unknown) => Promise<any>;

/** As the administrator of a new installation. */
async function openApi(address: string): Promise<ZabbixApi> {
  const headers: Record<string, string> = { 'content-type': 'application/json-rpc' };
  const call: ZabbixApi = async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const { result, error } = await fetchJson(`${address}/api_jsonrpc.php`, { method: 'POST', headers, body });
    if (error) throw new Error(`Zabbix: ${method}: ${error.data}`);
    return result;
  };
  headers.authorization = `Bearer ${await call('user.login', { username: 'Admin', password: 'zabbix' })}`;
  return call;
}

const groupThere = 'Those who keep';

/** The fields of the form that the template names, by their members in the API. */
const fields = {
  idp_entityid: 'IdP entity ID',
  sso_url: 'SSO service URL',
  slo_url: 'SLO service URL',
  username_attribute: 'Username attribute',
  sp_entityid: 'SP entity ID',
  group_name: 'Group name attribute',
  user_username: 'User name attribute',
} as const;

/** Enters what the template says. */
async function enter(setup: string, call: ZabbixApi): Promise<void> {
  const lines = new Map(setup.split('\n').map((line) => [line.split(': ')[0], line.slice(line.indexOf(': ') + 2)]));
  const { usrgrpids } = await call('usergroup.create', [
    { name: groupThere },
    { name: 'Deprovisioned', users_status: 1 },
  ]);
  const mapping = { name: group, roleid: '1', user_groups: [{ usrgrpid: usrgrpids[0] }] };
  await call('userdirectory.create', {
    ...Object.fromEntries(Object.entries(fields).map(([member, label]) => [member, lines.get(label)])),
    ...{ idp_type: 2, provision_status: 1, provision_groups: [mapping] },
  });
  await call('authentication.update', { saml_auth_enabled: 1, saml_jit_status: 1, disabled_usrgrpid: usrgrpids[1] });
}

/** What the wizard offers as a file. */
function certificateIn(metadata: string): string {
  const [, certificate = ''] = /X509Certificate>([^<]+)</.exec(metadata) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`;
}

async function signInAndOut(scene: TemplateScene, address: string, call: ZabbixApi): Promise<void> {
  const page = await scene.window();
  await page.goto(`${address}/index_sso.php`);
  await signIn(page, dana);
  await page.getByRole('link', { name: 'Sign out' }).waitFor();
  const [user] = await call('user.get', { filter: { username: dana.username }, selectUsrgrps: ['name'] });
  equal(user.name, dana.name);
  deepEqual(
    user.usrgrps.map(({ name }: { name: string }) => name),
    [groupThere],
  );
  await page.getByRole('link', { name: 'Sign out' }).click();
  await page.getByLabel('Username').waitFor();
  equal(await whoIsHere(page, scene), null);

  const other = await scene.window();
  await other.goto(`${address}/index_sso.php`);
  await signIn(other, omar);
  await other.getByText('You are not logged in').waitFor();
  deepEqual(await call('user.get', { filter: { username: omar.username } }), []);
}
