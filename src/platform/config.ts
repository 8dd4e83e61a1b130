import { resolve } from 'node:path';
import { nearestWord } from '../lib/nearest-word.ts';
import {
  isLoopback,
  type LogLevel,
  maskedDatabaseUrl,
  maskedSmtpUrl,
  readApiUrl,
  readConnections,
  readDatabaseUrl,
  readEmail,
  readFolder,
  readGeoPath,
  readHeaderValue,
  readHost,
  readLogLevel,
  readMetricsToken,
  readPassword,
  readPort,
  readPublicUrl,
  readRanges,
  readSecretKey,
  readShutdownDelay,
  readSmtpUrl,
  readUserEmail,
  urlOf,
} from './config-values.ts';

/** All settings of the server, read once at startup. Each part of the server receives the members that it uses. */
export interface Config {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Null: SQLite in the data folder. */
  readonly databaseUrl: string | null;
  /** The limit for PostgreSQL. */
  readonly databaseConnections: number;
  /** An absolute path. */
  readonly dataDir: string;
  /** The origin that browsers use, without a trailing slash. */
  readonly publicUrl: string;
  /** Null: the key is generated once, in the data folder. */
  readonly secretKey: string | null;
  readonly trustedProxies: readonly string[];
  readonly logLevel: LogLevel;
  readonly outboundAllow: readonly string[];
  /** Without a trailing slash. */
  readonly mediasrcApiUrl: string;
  readonly bootstrap: {
    readonly password: string | null;
    readonly token: string | null;
    readonly email: string | null;
  };
  /** Paths of MMDB files; null: the bundled country database, no cities, no networks. */
  readonly geoip: { readonly country: string | null; readonly city: string | null; readonly asn: string | null };
  readonly metricsToken: string | null;
  /** How long a stopping server reports that to load balancers before it closes its port. */
  readonly shutdownDelaySeconds: number;
  /** Both are required to send e-mail. */
  readonly smtp: { readonly url: string | null; readonly from: string | null };
  /** Null: not served. */
  readonly ldap: { readonly host: string; readonly port: number | null; readonly tlsPort: number | null };
  readonly radius: { readonly host: string; readonly port: number | null; readonly tlsPort: number | null };
  /** By which `gatehouse outpost` authenticates. */
  readonly outpostToken: string | null;
  /** The image of outposts that service connections deploy. */
  readonly outpostImage: string;
  /** Logged at startup: allowed, but probably a mistake. */
  readonly warnings: readonly string[];
  /** The source of each setting, by its environment variable. */
  readonly sources: Readonly<Record<SettingName, SettingSource>>;
}

export type SettingSource = 'environment' | 'administration' | 'default';

export type SettingName = (typeof settingNames)[number];

export const settingNames = [
  'HOST',
  'PORT',
  'DATABASE_URL',
  'GATEHOUSE_DATABASE_CONNECTIONS',
  'GATEHOUSE_DATA_DIR',
  'GATEHOUSE_PUBLIC_URL',
  'GATEHOUSE_SECRET_KEY',
  'GATEHOUSE_TRUSTED_PROXIES',
  'GATEHOUSE_LOG_LEVEL',
  'GATEHOUSE_OUTBOUND_ALLOW',
  'GATEHOUSE_MEDIASRC_API_URL',
  'GATEHOUSE_BOOTSTRAP_PASSWORD',
  'GATEHOUSE_BOOTSTRAP_TOKEN',
  'GATEHOUSE_BOOTSTRAP_EMAIL',
  'GATEHOUSE_GEOIP_COUNTRY',
  'GATEHOUSE_GEOIP_CITY',
  'GATEHOUSE_GEOIP_ASN',
  'GATEHOUSE_METRICS_TOKEN',
  'GATEHOUSE_SHUTDOWN_DELAY',
  'GATEHOUSE_SMTP_URL',
  'GATEHOUSE_SMTP_FROM',
  'GATEHOUSE_LDAP_HOST',
  'GATEHOUSE_LDAP_PORT',
  'GATEHOUSE_LDAPS_PORT',
  'GATEHOUSE_RADIUS_HOST',
  'GATEHOUSE_RADIUS_PORT',
  'GATEHOUSE_RADSEC_PORT',
  'GATEHOUSE_TOKEN',
  'GATEHOUSE_OUTPOST_IMAGE',
] as const;

/** Invalid settings. The message lists all complaints and never a secret. */
export class ConfigError extends Error {
  readonly complaints: readonly string[];

  constructor(complaints: readonly string[]) {
    super(
      `Gatehouse cannot start with these settings:\n${complaints.map((complaint) => `  - ${complaint}`).join('\n')}`,
    );
    this.name = 'ConfigError';
    this.complaints = complaints;
  }
}

/** Reads the settings from an environment; empty values count as unset. Throws a ConfigError with all complaints. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const complaints = unknownNames(env).map(describeUnknown);

  function read<T>(name: SettingName, parse: (text: string) => T): T | null {
    const text = env[name];
    // Kubernetes sets some of these for services called `gatehouse-ldap`, `gatehouse-radius` and the like.
    if (!text || (/^GATEHOUSE_(LDAP|RADIUS|RADSEC)/.test(name) && belongsToOthers(name, text))) return null;
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      complaints.push(`${name} ${error.message}`);
      return null;
    }
  }

  const host = read('HOST', readHost) ?? '127.0.0.1';
  const port = read('PORT', readPort) ?? 9000;
  const config = {
    host,
    port,
    databaseUrl: read('DATABASE_URL', readDatabaseUrl),
    databaseConnections: read('GATEHOUSE_DATABASE_CONNECTIONS', readConnections) ?? 16,
    dataDir: read('GATEHOUSE_DATA_DIR', readFolder) ?? resolve('data'),
    publicUrl: read('GATEHOUSE_PUBLIC_URL', readPublicUrl) ?? urlOf(host, port),
    secretKey: read('GATEHOUSE_SECRET_KEY', readSecretKey),
    trustedProxies: Object.freeze(read('GATEHOUSE_TRUSTED_PROXIES', readRanges) ?? []),
    logLevel: read('GATEHOUSE_LOG_LEVEL', readLogLevel) ?? 'info',
    outboundAllow: Object.freeze(read('GATEHOUSE_OUTBOUND_ALLOW', readRanges) ?? []),
    mediasrcApiUrl: read('GATEHOUSE_MEDIASRC_API_URL', readApiUrl) ?? 'https://plex.tv/api/v2',
    bootstrap: Object.freeze({
      password: read('GATEHOUSE_BOOTSTRAP_PASSWORD', readPassword),
      token: read('GATEHOUSE_BOOTSTRAP_TOKEN', readHeaderValue),
      email: read('GATEHOUSE_BOOTSTRAP_EMAIL', readUserEmail),
    }),
    geoip: Object.freeze({
      country: read('GATEHOUSE_GEOIP_COUNTRY', readGeoPath),
      city: read('GATEHOUSE_GEOIP_CITY', readGeoPath),
      asn: read('GATEHOUSE_GEOIP_ASN', readGeoPath),
    }),
    metricsToken: read('GATEHOUSE_METRICS_TOKEN', readMetricsToken),
    shutdownDelaySeconds: read('GATEHOUSE_SHUTDOWN_DELAY', readShutdownDelay) ?? 0,
    smtp: Object.freeze({
      url: read('GATEHOUSE_SMTP_URL', readSmtpUrl),
      from: read('GATEHOUSE_SMTP_FROM', readEmail),
    }),
    ldap: Object.freeze({
      host: read('GATEHOUSE_LDAP_HOST', readHost) ?? host,
      port: read('GATEHOUSE_LDAP_PORT', readPort),
      tlsPort: read('GATEHOUSE_LDAPS_PORT', readPort),
    }),
    radius: Object.freeze({
      host: read('GATEHOUSE_RADIUS_HOST', readHost) ?? host,
      port: read('GATEHOUSE_RADIUS_PORT', readPort),
      tlsPort: read('GATEHOUSE_RADSEC_PORT', readPort),
    }),
    outpostToken: read('GATEHOUSE_TOKEN', readHeaderValue),
    outpostImage: read('GATEHOUSE_OUTPOST_IMAGE', readHeaderValue) ?? 'gatehouse:latest',
    sources: Object.freeze(sourcesIn(env)),
  };
  complaints.push(...unsafeCombinations(config));
  if (complaints.length > 0) throw new ConfigError(complaints);
  return Object.freeze({ ...config, warnings: Object.freeze(warningsAbout(config)) });
}

/** The settings with the public address that administrators set; that of the environment wins. */
export function withPublicUrl(config: Config, publicUrl: string): Config {
  if (publicUrl === '' || config.sources.GATEHOUSE_PUBLIC_URL === 'environment') return config;
  const sources = Object.freeze({ ...config.sources, GATEHOUSE_PUBLIC_URL: 'administration' as const });
  const changed = { ...config, publicUrl, sources };
  return Object.freeze({ ...changed, warnings: Object.freeze(warningsAbout(changed)) });
}

/** All settings with their current values, secrets masked, and their sources: for `check` and for support. */
export function describeConfig(config: Config): { name: SettingName; value: string; source: SettingSource }[] {
  const hidden = (secret: string | null) => (secret === null ? '' : '********');
  const values: Record<SettingName, string> = {
    HOST: config.host,
    PORT: String(config.port),
    DATABASE_URL: config.databaseUrl === null ? '' : maskedDatabaseUrl(config.databaseUrl),
    GATEHOUSE_DATABASE_CONNECTIONS: String(config.databaseConnections),
    GATEHOUSE_DATA_DIR: config.dataDir,
    GATEHOUSE_PUBLIC_URL: config.publicUrl,
    GATEHOUSE_SECRET_KEY: hidden(config.secretKey),
    GATEHOUSE_TRUSTED_PROXIES: config.trustedProxies.join(', '),
    GATEHOUSE_LOG_LEVEL: config.logLevel,
    GATEHOUSE_OUTBOUND_ALLOW: config.outboundAllow.join(', '),
    GATEHOUSE_MEDIASRC_API_URL: config.mediasrcApiUrl,
    GATEHOUSE_BOOTSTRAP_PASSWORD: hidden(config.bootstrap.password),
    GATEHOUSE_BOOTSTRAP_TOKEN: hidden(config.bootstrap.token),
    GATEHOUSE_BOOTSTRAP_EMAIL: config.bootstrap.email ?? '',
    GATEHOUSE_GEOIP_COUNTRY: config.geoip.country ?? '',
    GATEHOUSE_GEOIP_CITY: config.geoip.city ?? '',
    GATEHOUSE_GEOIP_ASN: config.geoip.asn ?? '',
    GATEHOUSE_METRICS_TOKEN: hidden(config.metricsToken),
    GATEHOUSE_SHUTDOWN_DELAY: String(config.shutdownDelaySeconds),
    GATEHOUSE_SMTP_URL: config.smtp.url === null ? '' : maskedSmtpUrl(config.smtp.url),
    GATEHOUSE_SMTP_FROM: config.smtp.from ?? '',
    GATEHOUSE_LDAP_HOST: config.ldap.host,
    GATEHOUSE_LDAP_PORT: String(config.ldap.port ?? ''),
    GATEHOUSE_LDAPS_PORT: String(config.ldap.tlsPort ?? ''),
    GATEHOUSE_RADIUS_HOST: config.radius.host,
    GATEHOUSE_RADIUS_PORT: String(config.radius.port ?? ''),
    GATEHOUSE_RADSEC_PORT: String(config.radius.tlsPort ?? ''),
    GATEHOUSE_TOKEN: hidden(config.outpostToken),
    GATEHOUSE_OUTPOST_IMAGE: config.outpostImage,
  };
  return settingNames.map((name) => ({ name, value: values[name], source: config.sources[name] }));
}

function sourcesIn(env: Readonly<Record<string, string | undefined>>): Record<SettingName, SettingSource> {
  const sources = settingNames.map((name) => [name, env[name] ? 'environment' : 'default'] as const);
  // `fromEntries` loses the key type.
  return Object.fromEntries(sources) as Record<SettingName, SettingSource>;
}

function unknownNames(env: Readonly<Record<string, string | undefined>>): string[] {
  const names = new Set<string>(settingNames);
  return Object.keys(env)
    .filter((name) => name.startsWith('GATEHOUSE_') && !names.has(name))
    .filter((name) => !belongsToOthers(name, env[name] ?? ''))
    .sort();
}

/** Ignored names: those used by tests, and those that Kubernetes sets for a service called "gatehouse". */
function belongsToOthers(name: string, value: string): boolean {
  if (name.startsWith('GATEHOUSE_TEST_')) return true;
  return (
    /_SERVICE_(HOST|PORT)(_\w+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_\w+)?$/.test(name) || /^(tcp|udp|sctp):\/\//.test(value)
  );
}

function describeUnknown(name: string): string {
  const meant = settingNames.find((each) => name === `GATEHOUSE_${each}`) ?? nearestWord(name, settingNames);
  return meant ? `${name} is not a setting; did you mean ${meant}?` : `${name} is not a setting`;
}

type Combination = Omit<Config, 'warnings'>;

/** Complaints about settings that are valid on their own but unsafe or useless together. */
function unsafeCombinations({ host, bootstrap }: Combination): string[] {
  const complaints: string[] = [];
  if (isLoopback(host)) return complaints;
  if (bootstrap.password !== null && bootstrap.password.length < 8) {
    complaints.push(
      `GATEHOUSE_BOOTSTRAP_PASSWORD has fewer than 8 characters, and HOST ${host} can be reached by others`,
    );
  }
  if (bootstrap.token !== null && bootstrap.token.length < 16) {
    complaints.push(
      `GATEHOUSE_BOOTSTRAP_TOKEN has fewer than 16 characters, and HOST ${host} can be reached by others`,
    );
  }
  return complaints;
}

function warningsAbout(config: Combination): string[] {
  const { host, publicUrl, databaseUrl, secretKey, mediasrcApiUrl, smtp, sources, ldap } = config;
  const warnings: string[] = [];
  if (!isLoopback(host) && sources.GATEHOUSE_PUBLIC_URL === 'default') {
    warnings.push(
      `GATEHOUSE_PUBLIC_URL is not set, although HOST ${host} can be reached by others: links and redirects lead to ${publicUrl}`,
    );
  }
  if (isPlainHttpBeyondThisMachine(publicUrl)) {
    warnings.push('GATEHOUSE_PUBLIC_URL is not https: passwords and sessions cross the network in the clear');
  }
  if (isPlainHttpBeyondThisMachine(mediasrcApiUrl)) {
    warnings.push("GATEHOUSE_MEDIASRC_API_URL is not https: users' tokens cross the network in the clear");
  }
  if (databaseUrl !== null && secretKey === null) {
    warnings.push('GATEHOUSE_SECRET_KEY is not set: give the same one to every instance that shares this database');
  }
  if (ldap.port !== null && !isLoopback(ldap.host)) {
    warnings.push(
      'GATEHOUSE_LDAP_PORT is reached by others: passwords cross the network in the clear unless clients use StartTLS; GATEHOUSE_LDAPS_PORT always encrypts',
    );
  }
  if ((smtp.url === null) !== (smtp.from === null)) {
    const [given, missing] = smtp.url === null ? ['FROM', 'URL'] : ['URL', 'FROM'];
    warnings.push(`GATEHOUSE_SMTP_${missing} is not set, although GATEHOUSE_SMTP_${given} is: no e-mail is sent`);
  }
  return warnings;
}

function isPlainHttpBeyondThisMachine(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopback(hostname);
}
