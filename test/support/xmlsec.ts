import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasDebianPackage } from './debian-package.ts';
import { newFolder } from './server.ts';

const run = promisify(execFile);
const binary = '/usr/bin/xmlsec1';

/** Whether there is an `xmlsec1`, installed if need be. */
export const findXmlsec = (): Promise<boolean> => hasDebianPackage('xmlsec1', [binary]);

const idOf = (element: string) => ['--id-attr:ID', element];

/** Runs xmlsec1 over a document, with the files it names by option. Gives what it prints. */
async function xmlsec(
  command: string,
  files: Readonly<Record<string, string>>,
  document: string,
  more: readonly string[],
): Promise<string> {
  const folder = newFolder();
  const options: string[] = [];
  for (const [option, content] of Object.entries(files)) {
    const file = join(folder, `${options.length}.${option === 'xml-data' ? 'xml' : 'pem'}`);
    await writeFile(file, content);
    options.push(`--${option}`, file);
  }
  const input = join(folder, 'input.xml');
  await writeFile(input, document);
  const { stdout } = await run(binary, [command, ...options, ...more, input]);
  return stdout;
}

/** Throws unless the first signature of the document is valid. `element` has the ID that it refers to. */
export const xmlsecVerify = (document: string, certificate: string, element: string) =>
  xmlsec('--verify', { 'pubkey-cert-pem': certificate }, document, [
    ...idOf(element),
    '--enabled-key-data',
    'x509,rsa,ecdsa,key-value',
  ]);

/** Fills in the signature template that the document holds. */
export const xmlsecSign = (template: string, key: string, element: string) =>
  xmlsec('--sign', { 'privkey-pem': key }, template, idOf(element));

export const xmlsecDecrypt = (document: string, key: string) =>
  xmlsec('--decrypt', { 'privkey-pem': key }, document, []);

/** Encrypts a document as the template says. */
export const xmlsecEncrypt = (document: string, template: string, certificate: string) =>
  xmlsec('--encrypt', { 'pubkey-cert-pem': certificate, 'xml-data': document }, template, ['--session-key', 'aes-256']);

const openssl = '/usr/bin/openssl';
export const findOpenssl = (): Promise<boolean> => hasDebianPackage('openssl', [openssl]);

/** Throws unless `openssl` finds the query of a redirect signed by SHA-256, over its octets as they were sent. */
export async function opensslVerifyQuery(query: string, certificate: string): Promise<void> {
  const end = query.lastIndexOf('&Signature=');
  // Whatever the address of the other side has before the message is not signed.
  const start = Math.max(query.indexOf('SAMLRequest='), query.indexOf('SAMLResponse='));
  const signature = decodeURIComponent(query.slice(end + '&Signature='.length));
  const folder = newFolder();
  const files = {
    cert: certificate,
    signature: Buffer.from(signature, 'base64'),
    octets: query.slice(start, end),
  };
  const at = (name: string) => join(folder, name);
  for (const [name, content] of Object.entries(files)) await writeFile(at(name), content);
  const { stdout } = await run(openssl, ['x509', '-in', at('cert'), '-noout', '-pubkey']);
  await writeFile(at('key'), stdout);
  await run(openssl, ['dgst', '-sha256', '-verify', at('key'), '-signature', at('signature'), at('octets')]);
}
