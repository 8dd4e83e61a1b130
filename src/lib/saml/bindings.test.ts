import { createPrivateKey, X509Certificate } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { generateCertificate } from '../certificate/generate-certificate.ts';
import { xml } from '../xml/write-xml.ts';
import { SamlError } from './message.ts';
import { decodePost, encodePost } from './post-binding.ts';
import { readRedirect, redirectUrl } from './redirect-binding.ts';

const message = xml('samlp:AuthnRequest', { ID: 'x' }, 'ü & <');
const rsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
let pair: { certificate: string; key: string };

beforeAll(async () => {
  const request = { commonName: 'sp', subjectAltNames: [], validityDays: 1, algorithm: 'rsa', rsaBits: 2048 } as const;
  pair = await generateCertificate(request);
});

const signed = (relayState: string | null = 'a b+c') => {
  const key = { privateKey: createPrivateKey(pair.key), signatureAlgorithm: rsaSha256 };
  return redirectUrl('https://idp.example/sso?tenant=1', { name: 'SAMLRequest', message, relayState, key });
};
const queryOf = (url: string) => url.slice(url.indexOf('?') + 1);
const keys = () => [new X509Certificate(pair.certificate).publicKey];

describe('the redirect binding', () => {
  it('carries a message, its relay state and a signature, beside what the address had', () => {
    const read = readRedirect(queryOf(signed()));
    expect(read).toMatchObject({ name: 'SAMLRequest', text: message.markup, relayState: 'a b+c', isSigned: true });
    expect(read.isSignedBy(keys())).toBe(true);
    expect(signed()).toMatch(/^https:\/\/idp\.example\/sso\?tenant=1&SAMLRequest=/);
    expect(readRedirect(queryOf(signed(null))).isSignedBy(keys())).toBe(true);
  });

  it('takes a message that was not compressed, as some peers send it', () => {
    const query = `SAMLRequest=${encodeURIComponent(Buffer.from('<x/>').toString('base64'))}`;
    expect(readRedirect(query).text).toBe('<x/>');
  });

  it('says that an unsigned message is not signed', () => {
    const url = redirectUrl('https://idp.example/', { name: 'SAMLResponse', message, relayState: null, key: null });
    const read = readRedirect(queryOf(url));
    expect([read.name, read.isSigned, read.isSignedBy(keys())]).toEqual(['SAMLResponse', false, false]);
  });

  it.each([
    ['another relay state', (query: string) => query.replace('a%20b', 'evil')],
    [
      'another message',
      (query: string) =>
        query.replace(
          /SAMLRequest=[^&]*/,
          `SAMLRequest=${encodeURIComponent(deflateRawSync('<x/>').toString('base64'))}`,
        ),
    ],
    ['a message by the other name', (query: string) => query.replace('SAMLRequest', 'SAMLResponse')],
    [
      'a weak algorithm',
      (query: string) =>
        query.replace(encodeURIComponent(rsaSha256), encodeURIComponent('http://www.w3.org/2000/09/xmldsig#rsa-sha1')),
    ],
    ['no algorithm', (query: string) => query.replace(/&SigAlg=[^&]*/, '')],
    ['a signature of nothing', (query: string) => query.replace(/&Signature=[^&]*/, '&Signature=')],
  ])('does not take a signature for %s', (_name, change) => {
    expect(readRedirect(change(queryOf(signed()))).isSignedBy(keys())).toBe(false);
  });

  it.each([
    ['a message twice', (query: string) => `${query}&SAMLRequest=x`],
    ['a message twice in two spellings', (query: string) => `${query}&%53AMLRequest=x`],
    ['a name in another spelling', (query: string) => query.replace('SAMLRequest', '%53AMLRequest')],
    ['a request and a response', (query: string) => `${query}&SAMLResponse=x`],
    ['no message', () => 'RelayState=x'],
    ['a message that is neither compressed nor XML', () => 'SAMLRequest=aGVsbG8%3D'],
    [
      'a message that grows without bound',
      () => `SAMLRequest=${encodeURIComponent(deflateRawSync(Buffer.alloc(2_000_000, 'x')).toString('base64'))}`,
    ],
    ['a broken percent sign', () => 'SAMLRequest=%E0%A4%A'],
  ])('refuses %s', (_name, change) => {
    expect(() => readRedirect(change(queryOf(signed())))).toThrow(SamlError);
  });
});

describe('the POST binding', () => {
  it('carries a message', () => {
    expect(decodePost(encodePost(message))).toBe(message.markup);
    expect(decodePost(`${encodePost(message).slice(0, 8)}\r\n ${encodePost(message).slice(8)}`)).toBe(message.markup);
  });

  it.each([
    ['nothing', ''],
    ['no base64', '<x/>'],
    ['no UTF-8', '//79'],
    ['too much', 'A'.repeat(2 ** 21)],
  ])('refuses %s', (_name, value) => {
    expect(() => decodePost(value)).toThrow(SamlError);
  });
});
