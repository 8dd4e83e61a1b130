import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { contains, isCidr, parseCidrs } from '../lib/cidr.ts';
import { emailPattern } from '../lib/email.ts';
import { messageOf } from '../lib/error-facts.ts';
import { addressesOf } from './db/postgres/address.ts';
import { checkGeoFile } from './geo/geo-file.ts';
import { maxPasswordLength } from './passwords.ts';

export type LogLevel = (typeof logLevels)[number];

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

// Each reader throws a RangeError whose message follows the setting's name: "PORT must be …".

export function readHost(text: string): string {
  const host = text.replace(/^\[(.*)\]$/, '$1');
  const isName = host.length <= 253 && /^[a-z0-9_](?:-*[a-z0-9_])*(?:\.[a-z0-9_](?:-*[a-z0-9_])*)*$/i.test(host);
  // URLs accept neither invalid addresses (999.1.1.1) nor addresses with a zone (fe80::1%eth0).
  const isUsable = (isIP(host) !== 0 || isName) && URL.canParse(originOf(host, 0));
  if (!isUsable) throw new RangeError(`must be an address or a host name, not "${text}"`);
  return host;
}

export function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65535) throw new RangeError(`must be a number from 0 to 65535, not "${text}"`);
  return port;
}

const sslModes = new Set(['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']);

export function readDatabaseUrl(text: string): string {
  for (const url of addressesOf(text).map(parseDatabaseUrl)) {
    // In an unescaped password, a slash would end the host and a number sign the address.
    const isWhole = url !== null && url.hash === '' && !url.pathname.includes('@') && text === text.trim();
    if (!isWhole || !['postgres:', 'postgresql:'].includes(url.protocol)) {
      throw new RangeError(
        'must be like postgres://user:password@host/database, or name several hosts as in @first:5432,second:5432/; leave it out to use SQLite',
      );
    }
    if (url.pathname.length < 2) throw new RangeError('names no database: postgres://user:password@host/database');
    const mode = url.searchParams.get('sslmode') ?? 'disable';
    if (!sslModes.has(mode))
      throw new RangeError(`has the sslmode "${mode}", which is none of ${[...sslModes].join(', ')}`);
  }
  return text;
}

/** A database URL for display, with passwords masked. */
export function maskedDatabaseUrl(text: string): string {
  const urls = addressesOf(text).map(parseDatabaseUrl);
  const [url] = urls;
  if (!url) return '********';
  const parameters = [...url.searchParams].map(([name, value]) =>
    /pass/i.test(name) ? `${name}=********` : `${name}=${value}`,
  );
  const user = url.username + (url.password ? ':********' : '');
  const hosts = urls.map((each) => (each?.host === noHost ? '' : each?.host)).join(',');
  return `${url.protocol}//${user}${user && '@'}${hosts}${url.pathname}${parameters.length > 0 ? `?${parameters.join('&')}` : ''}`;
}

const noHost = 'no-host';

/** `postgres://user@/database?host=/run/postgresql` names a socket, which `URL` alone rejects. */
function parseDatabaseUrl(text: string): URL | null {
  return URL.parse(text.replace('@/', `@${noHost}/`));
}

/** With fewer, transactions could leave no connection for reads. */
const minConnections = 4;
const maxConnections = 1_000;

export function readConnections(text: string): number {
  const number = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (number < minConnections || number > maxConnections) {
    throw new RangeError(`must be a number from ${minConnections} to ${maxConnections}, not "${text}"`);
  }
  return number;
}

const maxShutdownDelaySeconds = 300;

export function readShutdownDelay(text: string): number {
  const seconds = /^\d{1,3}$/.test(text) ? Number(text) : -1;
  if (seconds < 0 || seconds > maxShutdownDelaySeconds) {
    throw new RangeError(`must be a number of seconds from 0 to ${maxShutdownDelaySeconds}, not "${text}"`);
  }
  return seconds;
}

export function readPublicUrl(text: string): string {
  const url = readHttpUrl(text);
  // Paths such as /api/v3 and /application/o are fixed, so Gatehouse needs an origin of its own.
  if (url.pathname !== '/') throw new RangeError(`must have no path, not "${url.pathname}"`);
  if (url.hostname.includes('*')) throw new RangeError(`must name one host, not "${url.hostname}"`);
  return url.origin;
}

export function readApiUrl(text: string): string {
  return readHttpUrl(text).href.replace(/(?<!\/)\/+$/, '');
}

function readHttpUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new RangeError('must be a URL that starts with https:// or http://');
  }
  if (url.username || url.password) throw new RangeError('must hold no user or password');
  if (url.search || url.hash) throw new RangeError('must have no query and no fragment');
  return url;
}

export function readSecretKey(text: string): string {
  if (text.trim().length < 32)
    throw new RangeError('must have at least 32 characters; `openssl rand -base64 48` makes a good one');
  return text;
}

/**
 * Address ranges separated by commas or spaces. A range of all addresses would disable the check that it configures.
 */
export function readRanges(text: string): string[] {
  const ranges = text.split(/[\s,]+/).filter((range) => range !== '');
  for (const range of ranges) {
    if (!isCidr(range)) throw new RangeError(`holds "${range}", which is not an address or a range like 10.0.0.0/8`);
    if (/\/0+$/.test(range))
      throw new RangeError(`holds "${range}", which is every address: name the ranges that are meant`);
  }
  return ranges;
}

export function readLogLevel(text: string): LogLevel {
  const level = logLevels.find((each) => each === text.toLowerCase());
  if (!level) throw new RangeError(`must be one of ${logLevels.join(', ')}, not "${text}"`);
  return level;
}

/** A value that can follow `Authorization: Bearer `. It is a secret, so the error must not quote it. */
export function readHeaderValue(text: string): string {
  if (!/^[\x21-\x7e]+$/.test(text)) throw new RangeError('must be printable ASCII without spaces');
  return text;
}

/** Unlike the bootstrap token it stays valid, so it must never be short. */
export function readMetricsToken(text: string): string {
  if (text.length < 16) throw new RangeError('must have at least 16 characters');
  return readHeaderValue(text);
}

export function readEmail(text: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(text)) throw new RangeError(`must be an e-mail address, not "${text}"`);
  return text;
}

/** As the e-mail field of users takes it. */
export function readUserEmail(text: string): string {
  if (!emailPattern.test(text) || text.length > 254) throw new RangeError(`must be an e-mail address, not "${text}"`);
  return text;
}

export function readPassword(text: string): string {
  if (text.length > maxPasswordLength) throw new RangeError(`must have at most ${maxPasswordLength} characters`);
  return text;
}

export function readGeoPath(text: string): string {
  const path = resolve(text);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw new RangeError(`names no file: "${path}"`);
  try {
    checkGeoFile(path);
  } catch (error) {
    throw new RangeError(`cannot be used: ${messageOf(error)}`);
  }
  return path;
}

/** A folder; it need not exist yet. */
export function readFolder(text: string): string {
  // Only shells expand it: without one, a folder of this name would be created.
  if (/^~/.test(text)) throw new RangeError(`must be a path without "~", not "${text}"`);
  return resolve(text);
}

/** The default URL of this server. Browsers know loopback and wildcard addresses as "localhost". */
export function urlOf(host: string, port: number): string {
  const isWildcard = host === '0.0.0.0' || host === '::';
  return new URL(originOf(isWildcard || isLoopback(host) ? 'localhost' : host, port)).origin;
}

const originOf = (host: string, port: number): string => `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

/** Whether the host is this machine's loopback interface. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  return contains(loopback, name);
}

const loopback = parseCidrs(['127.0.0.0/8', '::1']);

export function readSmtpUrl(text: string): string {
  const url = URL.parse(text);
  const isSmtp =
    url !== null &&
    /^smtps?:$/.test(url.protocol) &&
    url.hostname !== '' &&
    // In an unescaped password, these would end the host.
    ['', '/'].includes(url.pathname) &&
    url.hash === '' &&
    isDecodable(url.username + url.password) &&
    ['', '?starttls=optional'].includes(url.search);
  // Does not quote the value, which may hold a password.
  if (!isSmtp) throw new RangeError('must be an address like smtp://user:password@mail.example.com:587 or smtps://…');
  return text;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

export function maskedSmtpUrl(text: string): string {
  const { protocol, username, password, host } = new URL(text);
  const user = username + (password ? ':********' : '');
  return `${protocol}//${user}${user && '@'}${host}`;
}
