import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { generateCertificate } from '../certificate/generate-certificate.ts';
import { exclusiveC14n, signatureMethods } from './algorithms.ts';
import { attributeOf, childrenNamed, isElement, textOf, type XmlElement } from './element.ts';
import { decryptXml, encryptXml } from './encrypt.ts';
import { readXml } from './read-xml.ts';
import { type SigningKey, signXml } from './sign.ts';
import { isSigned, verifySigned } from './verify.ts';
import { xml } from './write-xml.ts';

const saml = 'urn:oasis:names:tc:SAML:2.0:assertion';
const protocol = 'urn:oasis:names:tc:SAML:2.0:protocol';
const rsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const sha256 = 'http://www.w3.org/2001/04/xmlenc#sha256';

let rsa: SigningKey;
let ec: SigningKey;
let other: SigningKey;

async function newKey(algorithm: 'rsa' | 'ecdsa', signatureAlgorithm: string): Promise<SigningKey> {
  const request = { commonName: 'idp', subjectAltNames: [], validityDays: 1, algorithm, rsaBits: 2048 } as const;
  const { certificate, key } = await generateCertificate(request);
  return { privateKey: createPrivateKey(key), certificate, signatureAlgorithm, digestAlgorithm: sha256 };
}

beforeAll(async () => {
  [rsa, other, ec] = await Promise.all([
    newKey('rsa', rsaSha256),
    newKey('rsa', rsaSha256),
    newKey('ecdsa', 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256'),
  ]);
});

const publicKeyOf = ({ certificate }: SigningKey): KeyObject => new X509Certificate(certificate).publicKey;
const read = (text: string) => readXml(text, { maxLength: 1_000_000 });

/** An assertion about a user, signed. */
function assertion(name: string, id: string, key: SigningKey | null): string {
  const markup = xml(
    'saml:Assertion',
    { 'xmlns:saml': saml, ID: id },
    xml('saml:Issuer', {}, 'https://idp.example'),
    xml('saml:Subject', {}, xml('saml:NameID', {}, name)),
  );
  return (key ? signXml(markup, key) : markup).markup;
}

const response = (...assertions: string[]) =>
  `<samlp:Response xmlns:samlp="${protocol}" ID="r1">${assertions.join('')}</samlp:Response>`;

const assertionsOf = (root: XmlElement) => childrenNamed(root, saml, 'Assertion');
const subjectOf = (root: XmlElement) => {
  const subject = childrenNamed(root, saml, 'Subject')[0] as XmlElement;
  return textOf(childrenNamed(subject, saml, 'NameID')[0] as XmlElement);
};

/** Verifies the first assertion that is a child of the response, and tells whom it is about. */
function signedIn(text: string, key: SigningKey = rsa): string {
  const [first] = assertionsOf(read(text));
  if (!first) throw new Error('no assertion');
  return subjectOf(verifySigned(first, [publicKeyOf(key)]));
}

describe('XML signatures', () => {
  it('are made and verified by RSA and EC keys with every strong algorithm', async () => {
    for (const [name, method] of Object.entries(signatureMethods)) {
      const key = { ...(method.key === 'rsa' ? rsa : ec), signatureAlgorithm: name };
      const text = response(assertion('dana', 'a1', key));
      if (method.hash === 'sha1') expect(() => signedIn(text, key)).toThrow('is not accepted');
      else expect(signedIn(text, key)).toBe('dana');
    }
  });

  it('are verified with any of several keys, as during a change of keys', () => {
    const [element] = assertionsOf(read(response(assertion('dana', 'a1', rsa))));
    expect(subjectOf(verifySigned(element as XmlElement, [publicKeyOf(other), publicKeyOf(rsa)]))).toBe('dana');
    expect(() => verifySigned(element as XmlElement, [publicKeyOf(other)])).toThrow('is not valid');
    expect(() => verifySigned(element as XmlElement, [])).toThrow('is not valid');
  });

  it('hold inside other documents with other namespaces and white space around', () => {
    const text = `<x xmlns="urn:outer" xmlns:samlp="urn:else">\n  ${assertion('dana', 'a1', rsa)}\n</x>`;
    expect(signedIn(text)).toBe('dana');
  });

  it('give the whole name although comments were put into it afterwards', () => {
    const text = response(assertion('dana@example.com', 'a1', rsa)).replace(
      'dana@example.com',
      'dana<!---->@example.com',
    );
    expect(signedIn(text)).toBe('dana@example.com');
  });

  const evil = () => assertion('admin', 'evil', null);
  const good = () => assertion('dana', 'a1', rsa);
  /** The signature of the good assertion, to be put elsewhere. */
  const signature = () => /<ds:Signature .*<\/ds:Signature>/.exec(good())?.[0] ?? '';
  const withSignature = (text: string, inner: string) => text.replace('</saml:Issuer>', `</saml:Issuer>${inner}`);
  const goodUnsigned = () => assertion('dana', 'a1', null);

  const attacks: Readonly<Record<string, () => string>> = {
    'an unsigned assertion': () => response(evil()),
    'a changed name': () => response(good().replace('dana', 'admin')),
    'a changed digest': () => response(good().replace(/<ds:DigestValue>./, '<ds:DigestValue>A')),
    'a comment in the digest over a changed name': () =>
      response(good().replace('dana', 'admin').replace('<ds:DigestValue>', '<ds:DigestValue><!--x-->')),
    'the signature of another assertion': () => response(withSignature(evil(), signature())),
    'wrapping 1: the good response inside the signature of the evil one': () =>
      response(withSignature(evil(), signature().replace('</ds:Signature>', `${goodUnsigned()}</ds:Signature>`))),
    'wrapping 2: the good assertion before the evil one, which has its signature': () =>
      response(withSignature(evil(), `${goodUnsigned()}${signature()}`)),
    'wrapping 3: the evil assertion first, the good one as its sibling': () => response(evil(), good()),
    'wrapping 4: the good assertion as a child of the evil one': () =>
      response(evil().replace('</saml:Assertion>', `${good()}</saml:Assertion>`)),
    'wrapping 5: the evil assertion has the signature, the good one follows': () =>
      response(withSignature(evil(), signature()), goodUnsigned()),
    'wrapping 6: the good assertion inside the signature, in an Object': () =>
      response(
        withSignature(
          evil(),
          signature().replace('</ds:Signature>', `<ds:Object>${goodUnsigned()}</ds:Object></ds:Signature>`),
        ),
      ),
    'wrapping 7: the good assertion in Extensions': () =>
      `<samlp:Response xmlns:samlp="${protocol}" ID="r1"><samlp:Extensions>${good()}</samlp:Extensions>${evil()}</samlp:Response>`,
    'wrapping 8: the evil assertion with the ID of the good one in its signature': () =>
      response(
        withSignature(
          assertion('admin', 'a1', null),
          signature().replace('</ds:Signature>', `<ds:Object>${goodUnsigned()}</ds:Object></ds:Signature>`),
        ),
      ),
    'two signatures': () => response(withSignature(good(), signature())),
    'a reference to the whole document': () => response(good().replace('URI="#a1"', 'URI=""')),
    'a reference to nothing': () => response(good().replace('URI="#a1"', 'URI="#gone"')),
    'two references': () => response(good().replace(/<ds:Reference .*<\/ds:Reference>/, '$&$&')),
    'no reference': () => response(good().replace(/<ds:Reference .*<\/ds:Reference>/, '')),
    'no transform': () => response(good().replace(/<ds:Transforms>.*<\/ds:Transforms>/, '')),
    'a transform by XPath': () =>
      response(good().replace(exclusiveC14n, 'http://www.w3.org/TR/1999/REC-xpath-19991116')),
    'a signature by HMAC with the public key': () =>
      response(good().replace(rsaSha256, 'http://www.w3.org/2000/09/xmldsig#hmac-sha1')),
    'a digest by SHA-1': () => {
      const weak = { ...rsa, digestAlgorithm: 'http://www.w3.org/2000/09/xmldsig#sha1' };
      return response(assertion('dana', 'a1', weak));
    },
    'the key of somebody else, sent along': () => response(assertion('admin', 'a1', other)),
    'no signature value': () => response(good().replace(/<ds:SignatureValue>.*<\/ds:SignatureValue>/, '')),
    'two blocks of signed information': () => response(good().replace(/<ds:SignedInfo>.*<\/ds:SignedInfo>/, '$&$&')),
    'an assertion without an ID': () => response(good().replace(' ID="a1"', '')),
  };
  for (const [name, attack] of Object.entries(attacks)) {
    it(`refuse ${name}`, () => {
      expect(() => signedIn(attack())).toThrow(/signature|Signature|ID|Reference|SignedInfo|no assertion/);
    });
  }

  it('tell whether an element has a signature of its own, not one further down', () => {
    const root = read(response(good()));
    expect(isSigned(root)).toBe(false);
    expect(root.children.filter(isElement).map(isSigned)).toEqual([true]);
  });
});

describe('XML encryption', () => {
  const open = async (markup: string, key: SigningKey, isAuthentic = false) =>
    decryptXml(read(markup), { privateKey: key.privateKey, isAuthentic });

  it('gives back what was encrypted, to the holder of the key alone', async () => {
    const { markup } = await encryptXml({ markup: assertion('dana', 'a1', rsa) }, rsa.certificate);
    expect(markup).not.toContain('dana');
    expect(signedIn(response(await open(markup, rsa)))).toBe('dana');
    await expect(open(markup, other)).rejects.toThrow('cannot be opened');
  });

  it('refuses ciphertext that was changed', async () => {
    const { markup } = await encryptXml({ markup: '<a/>' }, rsa.certificate);
    const changed = markup.replace(
      /(<(?:\w+:)?CipherValue>)(.)(?=[^<]*<\/(?:\w+:)?CipherValue>(?!.*CipherValue))/s,
      '$1A',
    );
    await expect(open(changed.replace('aes256-gcm', 'aes128-gcm'), rsa)).rejects.toThrow('cannot be opened');
  });

  it('refuses what is not encrypted at all', async () => {
    await expect(open('<a/>', rsa)).rejects.toThrow('cannot be opened');
    expect(attributeOf(read('<a/>'), 'ID')).toBeNull();
  });
});
