import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type Cidrs, contains, isPublicAddress } from '../../lib/cidr.ts';
import { blockedWords } from '../fetch/outbound-error.ts';
import type { Mail } from './mail.ts';
import { explainMailFailure, MailError } from './mail-error.ts';
import { sendBySmtp } from './smtp.ts';

/** A mail server configured by an administrator at runtime. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** STARTTLS, and sends nothing if that fails. */
  readonly useTls: boolean;
  /** TLS from the first byte. */
  readonly useSsl: boolean;
  readonly timeoutMs: number;
  readonly from: string;
}

/** Sends one mail through a server whose address must pass the same checks as all outgoing calls. */
export async function sendThrough(server: SmtpServer, mail: Mail, allow: Cidrs, withinMs?: number): Promise<void> {
  const { host, port, username, password, useTls, useSsl, timeoutMs, from } = server;
  const connection = {
    // Connects to the address that was checked; the name is for its certificate.
    host: await reachableAddress(host, allow),
    ...(isIP(host) === 0 && { servername: host }),
    port,
    secure: useSsl,
    requireTLS: useTls && !useSsl,
    ...(username && { auth: { user: username, pass: password } }),
    timeoutMs,
  };
  await sendBySmtp(connection, { from, ...mail }, withinMs);
}

async function reachableAddress(host: string, allow: Cidrs): Promise<string> {
  const addresses = isIP(host) === 0 ? await resolveHost(host) : [host];
  const reachable = addresses.find((address) => isPublicAddress(address) || contains(allow, address));
  if (reachable === undefined) throw new MailError(`${blockedWords(host)}.`, { isFinal: true });
  return reachable;
}

async function resolveHost(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    throw explainMailFailure(error);
  }
}
