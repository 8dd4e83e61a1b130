import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError, describeConfig, readConfig, settingNames } from './config.ts';

function complaintsAbout(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.complaints;
    throw error;
  }
  return [];
}

test('an empty environment gives the defaults', () => {
  expect(readConfig({})).toMatchObject({
    host: '127.0.0.1',
    port: 9000,
    databaseUrl: null,
    dataDir: resolve('data'),
    publicUrl: 'http://localhost:9000',
    secretKey: null,
    trustedProxies: [],
    logLevel: 'info',
    outboundAllow: [],
    mediasrcApiUrl: 'https://plex.tv/api/v2',
    bootstrap: { password: null, token: null, email: null },
    geoip: { country: null, city: null, asn: null },
    metricsToken: null,
    ldap: { host: '127.0.0.1', port: null, tlsPort: null },
    radius: { host: '127.0.0.1', port: null },
    warnings: [],
  });
});

test('every setting is read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-config-'));
  const file = join(folder, 'geo.mmdb');
  writeFileSync(file, Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'));
  const env = {
    HOST: '0.0.0.0',
    PORT: '8080',
    DATABASE_URL: 'postgres://gatehouse:pw@db/gatehouse',
    GATEHOUSE_DATABASE_CONNECTIONS: '20',
    GATEHOUSE_DATA_DIR: '/var/lib/gatehouse',
    GATEHOUSE_PUBLIC_URL: 'https://login.example.com/',
    GATEHOUSE_SECRET_KEY: 'k'.repeat(32),
    GATEHOUSE_TRUSTED_PROXIES: '10.0.0.0/8, 192.168.1.7 fd00::/8',
    GATEHOUSE_LOG_LEVEL: 'DEBUG',
    GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1',
    GATEHOUSE_MEDIASRC_API_URL: 'https://media.example.com/api/v2/',
    GATEHOUSE_BOOTSTRAP_PASSWORD: 'correct horse',
    GATEHOUSE_BOOTSTRAP_TOKEN: 'a-token-long-enough',
    GATEHOUSE_BOOTSTRAP_EMAIL: 'ada@example.com',
    GATEHOUSE_GEOIP_COUNTRY: file,
    GATEHOUSE_GEOIP_CITY: file,
    GATEHOUSE_GEOIP_ASN: file,
    GATEHOUSE_METRICS_TOKEN: 'm'.repeat(16),
    GATEHOUSE_SHUTDOWN_DELAY: '10',
    GATEHOUSE_SMTP_URL: 'smtps://ada:hunter2@mail.example.com',
    GATEHOUSE_SMTP_FROM: 'gatehouse@example.com',
    GATEHOUSE_LDAP_HOST: '::1',
    GATEHOUSE_LDAP_PORT: '1389',
    GATEHOUSE_LDAPS_PORT: '1636',
    GATEHOUSE_RADIUS_HOST: '127.0.0.2',
    GATEHOUSE_RADIUS_PORT: '1812',
    GATEHOUSE_RADSEC_PORT: '2083',
    GATEHOUSE_TOKEN: 'the-token-of-an-outpost',
    GATEHOUSE_OUTPOST_IMAGE: 'registry.example.com/gatehouse:1',
  };
  expect(Object.keys(env)).toEqual([...settingNames]);
  expect(readConfig(env)).toMatchObject({
    host: '0.0.0.0',
    port: 8080,
    databaseUrl: env.DATABASE_URL,
    databaseConnections: 20,
    dataDir: '/var/lib/gatehouse',
    publicUrl: 'https://login.example.com',
    secretKey: env.GATEHOUSE_SECRET_KEY,
    trustedProxies: ['10.0.0.0/8', '192.168.1.7', 'fd00::/8'],
    logLevel: 'debug',
    outboundAllow: ['127.0.0.1'],
    mediasrcApiUrl: 'https://media.example.com/api/v2',
    bootstrap: { password: 'correct horse', token: 'a-token-long-enough', email: 'ada@example.com' },
    geoip: { country: file, city: file, asn: file },
    metricsToken: env.GATEHOUSE_METRICS_TOKEN,
    shutdownDelaySeconds: 10,
    smtp: { url: env.GATEHOUSE_SMTP_URL, from: 'gatehouse@example.com' },
    ldap: { host: '::1', port: 1389, tlsPort: 1636 },
    radius: { host: '127.0.0.2', port: 1812, tlsPort: 2083 },
    warnings: [],
  });
  rmSync(folder, { recursive: true });
});

test('LDAP in the clear that others reach is warned about', () => {
  const { warnings } = readConfig({ GATEHOUSE_LDAP_HOST: '0.0.0.0', GATEHOUSE_LDAP_PORT: '389' });
  expect(warnings).toEqual([expect.stringContaining('GATEHOUSE_LDAP_PORT is reached by others')]);
  expect(readConfig({ GATEHOUSE_LDAP_HOST: '0.0.0.0', GATEHOUSE_LDAPS_PORT: '636' }).warnings).toEqual([]);
});

test('what Kubernetes sets for a service called gatehouse-ldap is no setting', () => {
  expect(readConfig({ GATEHOUSE_LDAP_PORT: 'tcp://10.0.0.1:389' }).ldap.port).toBeNull();
});

test('an empty value counts as none', () => {
  const env = Object.fromEntries(settingNames.map((name) => [name, '']));
  expect(readConfig(env)).toEqual(readConfig({}));
});

test('the settings are frozen, the nested ones too', () => {
  const config = readConfig({});
  for (const part of [
    config,
    config.bootstrap,
    config.geoip,
    config.smtp,
    config.ldap,
    config.radius,
    config.trustedProxies,
    config.sources,
    config.warnings,
  ]) {
    expect(Object.isFrozen(part)).toBe(true);
  }
});

test.each([
  ['127.0.0.1', 'http://localhost:9000'],
  ['::1', 'http://localhost:9000'],
  ['0.0.0.0', 'http://localhost:9000'],
  ['::', 'http://localhost:9000'],
  ['10.1.2.3', 'http://10.1.2.3:9000'],
  ['fd00::1', 'http://[fd00::1]:9000'],
  ['login.lan', 'http://login.lan:9000'],
])('without a public URL, HOST %s is reached at %s', (HOST, publicUrl) => {
  expect(readConfig({ HOST }).publicUrl).toBe(publicUrl);
});

test('the standard port is left out of the public URL', () => {
  expect(readConfig({ PORT: '80' }).publicUrl).toBe('http://localhost');
});

test.each([
  ['GATEHOUSE_SECRETKEY', 'GATEHOUSE_SECRET_KEY'],
  ['GATEHOUSE_TRUSTED_PROXY', 'GATEHOUSE_TRUSTED_PROXIES'],
  ['GATEHOUSE_PORT', 'PORT'],
  ['GATEHOUSE_DATABASE_URL', 'DATABASE_URL'],
])('the unknown setting %s is refused and %s suggested', (name, meant) => {
  expect(complaintsAbout({ [name]: '9000' })).toEqual([`${name} is not a setting; did you mean ${meant}?`]);
});

test('an unknown setting that is near to none is refused without a guess', () => {
  expect(complaintsAbout({ GATEHOUSE_PARALLEL_RUNS: '4' })).toEqual(['GATEHOUSE_PARALLEL_RUNS is not a setting']);
});

test('names that Kubernetes gives to a service called gatehouse, and those of the tests, are passed over', () => {
  const env = {
    GATEHOUSE_SERVICE_HOST: '10.0.0.7',
    GATEHOUSE_SERVICE_PORT_HTTP: '9000',
    GATEHOUSE_PORT: 'tcp://10.0.0.7:9000',
    GATEHOUSE_PORT_9000_TCP_ADDR: '10.0.0.7',
    GATEHOUSE_TEST_POSTGRES: 'postgres://localhost/x',
  };
  expect(complaintsAbout(env)).toEqual([]);
});

test.each([
  ['HOST', 'http://x', 'must be an address or a host name'],
  ['HOST', '999.1.1.1', 'must be an address or a host name, not "999.1.1.1"'],
  ['HOST', 'fe80::1%eth0', 'must be an address or a host name'],
  ['PORT', '70000', 'must be a number from 0 to 65535, not "70000"'],
  ['PORT', '-1', 'must be a number'],
  ['PORT', '9000x', 'must be a number'],
  ['DATABASE_URL', 'mysql://localhost/x', 'leave it out to use SQLite'],
  ['DATABASE_URL', 'nonsense', 'must be like postgres://'],
  ['DATABASE_URL', 'postgres://localhost', 'names no database'],
  ['DATABASE_URL', 'postgres://first:5432,second:nonsense/x', 'must be like postgres://'],
  ['DATABASE_URL', 'postgres://gatehouse:12/3@db/gatehouse', 'must be like postgres://'],
  ['DATABASE_URL', 'postgres://db/gatehouse?sslmode=on', 'has the sslmode "on", which is none of disable, '],
  ['DATABASE_URL', ' postgres://db/gatehouse', 'must be like postgres://'],
  ['GATEHOUSE_DATABASE_CONNECTIONS', '3', 'must be a number from 4 to 1000'],
  ['GATEHOUSE_DATABASE_CONNECTIONS', 'many', 'must be a number from 4 to 1000'],
  ['GATEHOUSE_PUBLIC_URL', 'login.example.com', 'https:// or http://'],
  ['GATEHOUSE_PUBLIC_URL', 'https://x.example/auth', 'must have no path, not "/auth"'],
  ['GATEHOUSE_PUBLIC_URL', 'https://me:pw@x.example', 'no user or password'],
  ['GATEHOUSE_PUBLIC_URL', 'https://x.example/?a=1', 'no query'],
  ['GATEHOUSE_PUBLIC_URL', 'https://*.example.com', 'must name one host, not "*.example.com"'],
  ['GATEHOUSE_DATA_DIR', '~/gatehouse', 'must be a path without "~", not "~/gatehouse"'],
  ['GATEHOUSE_SECRET_KEY', ' '.repeat(40), 'at least 32 characters'],
  ['GATEHOUSE_SECRET_KEY', 'short', 'at least 32 characters'],
  ['GATEHOUSE_TRUSTED_PROXIES', '10.0.0.0/8,proxy', 'holds "proxy"'],
  ['GATEHOUSE_TRUSTED_PROXIES', '0.0.0.0/0', 'every address'],
  ['GATEHOUSE_OUTBOUND_ALLOW', '::/0', 'every address'],
  ['GATEHOUSE_LOG_LEVEL', 'loud', 'must be one of trace, debug, info'],
  ['GATEHOUSE_MEDIASRC_API_URL', 'ftp://x.example', 'https:// or http://'],
  ['GATEHOUSE_BOOTSTRAP_TOKEN', 'with space', 'printable ASCII'],
  ['GATEHOUSE_BOOTSTRAP_EMAIL', 'ada', 'must be an e-mail address'],
  ['GATEHOUSE_BOOTSTRAP_EMAIL', '<ada@example.com>', 'must be an e-mail address'],
  ['GATEHOUSE_BOOTSTRAP_EMAIL', `ada@${'x'.repeat(250)}.com`, 'must be an e-mail address'],
  ['GATEHOUSE_BOOTSTRAP_PASSWORD', 'x'.repeat(4097), 'at most 4096 characters'],
  ['GATEHOUSE_GEOIP_ASN', import.meta.filename, 'cannot be used: '],
  ['GATEHOUSE_GEOIP_CITY', '/nowhere/city.mmdb', 'names no file: "/nowhere/city.mmdb"'],
  ['GATEHOUSE_METRICS_TOKEN', 'short', 'at least 16 characters'],
  ['GATEHOUSE_SHUTDOWN_DELAY', '10s', 'must be a number of seconds from 0 to 300'],
  ['GATEHOUSE_SHUTDOWN_DELAY', '301', 'must be a number of seconds from 0 to 300'],
  ['GATEHOUSE_SMTP_URL', 'https://mail.example.com', 'must be an address like smtp://'],
  ['GATEHOUSE_SMTP_URL', 'smtp://mail.example.com?starttls=no', 'must be an address like smtp://'],
  ['GATEHOUSE_SMTP_URL', 'smtp://ada:12#3@mail.example.com', 'must be an address like smtp://'],
  ['GATEHOUSE_SMTP_URL', 'smtp://ada:12/3@mail.example.com', 'must be an address like smtp://'],
  ['GATEHOUSE_SMTP_URL', 'smtp://ada:50%@mail.example.com', 'must be an address like smtp://'],
  ['GATEHOUSE_SMTP_FROM', 'gatehouse', 'must be an e-mail address'],
])('the setting %s=%s is refused', (name, value, complaint) => {
  const [first, ...others] = complaintsAbout({ [name]: value });
  expect(first).toMatch(new RegExp(`^${name} `));
  expect(first).toContain(complaint);
  expect(others).toEqual([]);
});

test('all complaints come at once, in one message', () => {
  const env = { PORT: 'x', GATEHOUSE_LOG_LEVEL: 'y', GATEHOUSE_NAME: 'z' };
  expect(complaintsAbout(env)).toHaveLength(3);
  expect(() => readConfig(env)).toThrow(/cannot start with these settings:\n {2}- .*\n {2}- .*\n {2}- /);
});

test('short first credentials are for this machine only', () => {
  const short = { GATEHOUSE_BOOTSTRAP_PASSWORD: 'admin', GATEHOUSE_BOOTSTRAP_TOKEN: 'token' };
  expect(complaintsAbout(short)).toEqual([]);
  expect(complaintsAbout({ ...short, HOST: 'localhost' })).toEqual([]);
  expect(complaintsAbout({ ...short, HOST: '0.0.0.0' })).toHaveLength(2);
});

test('what is allowed but risky is said', () => {
  const { warnings } = readConfig({
    DATABASE_URL: 'postgres://db/gatehouse',
    GATEHOUSE_PUBLIC_URL: 'http://login.lan',
    GATEHOUSE_MEDIASRC_API_URL: 'http://media.lan',
    GATEHOUSE_SMTP_URL: 'smtp://mail.lan',
  });
  expect(warnings.map((warning) => warning.split(' ')[0])).toEqual([
    'GATEHOUSE_PUBLIC_URL',
    'GATEHOUSE_MEDIASRC_API_URL',
    'GATEHOUSE_SECRET_KEY',
    'GATEHOUSE_SMTP_FROM',
  ]);
});

test('a database on several hosts is accepted, and shown without its password', () => {
  const DATABASE_URL = 'postgres://gatehouse:hunt,er2@first:5432,second,[::1]:5433/gatehouse?sslmode=require';
  const config = readConfig({ DATABASE_URL });
  expect(config.databaseUrl).toBe(DATABASE_URL);
  expect(describeConfig(config).find(({ name }) => name === 'DATABASE_URL')?.value).toBe(
    'postgres://gatehouse:********@first:5432,second,[::1]:5433/gatehouse?sslmode=require',
  );
});

test('a database on a socket is accepted', () => {
  const DATABASE_URL = 'postgres://gatehouse@/gatehouse?host=/run/postgresql';
  expect(readConfig({ DATABASE_URL }).databaseUrl).toBe(DATABASE_URL);
});

test('the description names each setting and its source, and shows no secret', () => {
  const config = readConfig({
    PORT: '9001',
    DATABASE_URL: 'postgres://gatehouse:hunter2@db:5433/gatehouse?sslmode=require&sslpassword=hunter2',
    GATEHOUSE_SECRET_KEY: 'hunter2'.repeat(5),
    GATEHOUSE_BOOTSTRAP_PASSWORD: 'hunter2',
    GATEHOUSE_BOOTSTRAP_TOKEN: 'hunter2',
    GATEHOUSE_METRICS_TOKEN: 'hunter2'.repeat(3),
    GATEHOUSE_SMTP_URL: 'smtp://ada:hunter2@mail.example.com:2525',
  });
  const description = describeConfig(config);
  expect(description.map(({ name }) => name)).toEqual([...settingNames]);
  expect(description).toContainEqual({ name: 'PORT', value: '9001', source: 'environment' });
  expect(description).toContainEqual({ name: 'HOST', value: '127.0.0.1', source: 'default' });
  expect(description).toContainEqual({
    name: 'DATABASE_URL',
    value: 'postgres://gatehouse:********@db:5433/gatehouse?sslmode=require&sslpassword=********',
    source: 'environment',
  });
  expect(JSON.stringify(description)).not.toContain('hunter2');
});

test('a complaint shows no secret', () => {
  const secret = 'p ä';
  const message = complaintsAbout({
    DATABASE_URL: `mysql://u:${secret}@db/x`,
    GATEHOUSE_SECRET_KEY: secret,
    GATEHOUSE_BOOTSTRAP_TOKEN: secret,
    GATEHOUSE_METRICS_TOKEN: secret,
  }).join('\n');
  expect(message.split('\n')).toHaveLength(4);
  expect(message).not.toContain(secret);
});

test('a server that others can reach is told when nobody said by which address', () => {
  const about = (env: Record<string, string>) =>
    readConfig(env).warnings.filter((warning) => warning.startsWith('GATEHOUSE_PUBLIC_URL is not set'));
  expect(about({ HOST: '0.0.0.0' })).toEqual([expect.stringContaining('lead to http://localhost:9000')]);
  expect(about({ HOST: '10.1.2.3' })).toHaveLength(1);
  expect(about({ HOST: '0.0.0.0', GATEHOUSE_PUBLIC_URL: 'https://login.example.org' })).toEqual([]);
  expect(about({})).toEqual([]);
});
