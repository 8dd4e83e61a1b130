import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  assertionMarkup,
  type IdpKey,
  idpKey,
  responseMarkup,
  signedResponse,
  type Told,
  told as toldTo,
} from '../../../test/support/saml-idp.ts';
import { encryptXml } from '../xml/encrypt.ts';
import { signXml } from '../xml/sign.ts';
import { type Markup, xml } from '../xml/write-xml.ts';
import { SamlError } from './message.ts';
import { type ResponseRules, readResponse } from './response.ts';

const audience = 'https://gatehouse.example/metadata';
const recipient = 'https://gatehouse.example/acs';
let key: IdpKey;
let other: IdpKey;
let ours: IdpKey;

beforeAll(async () => {
  [key, other, ours] = await Promise.all([idpKey(), idpKey(), idpKey()]);
});

const told = (more: Partial<Told> = {}) => toldTo({ audience, recipient, ...more });
const rules = (more: Partial<ResponseRules> = {}): ResponseRules => ({
  now: Date.now(),
  issuer: 'https://idp.example/metadata',
  audience,
  consumerUrl: recipient,
  keys: [new X509Certificate(key.certificate).publicKey],
  decryptionKey: null,
  ...more,
});
const read = (text: string, more: Partial<ResponseRules> = {}) => readResponse(text, rules(more));
const assertion = (about: Told, signer: IdpKey | null = key): Markup =>
  signer ? signXml(assertionMarkup(about), signer) : assertionMarkup(about);

describe('a SAML response', () => {
  it('tells who signed in, with all values of all attributes', async () => {
    const attributes = { mail: ['dana@example.com'], groups: ['a', 'b'], empty: [] };
    expect(await read(signedResponse(told({ attributes, inResponseTo: '_1', nameId: ' dana ' }), key))).toMatchObject({
      inResponseTo: '_1',
      nameId: { value: 'dana', format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent' },
      attributes,
      sessionIndex: 'session-1',
    });
  });

  it('needs no attributes', async () => {
    expect((await read(signedResponse(told(), key))).attributes).toEqual({});
  });

  it('may carry a message beside its success, and is refused with that message beside a failure if it is signed', async () => {
    const withMessage = (about: Told) =>
      signedResponse(about, key).replace(
        '</samlp:Status>',
        '<samlp:StatusMessage>Well</samlp:StatusMessage></samlp:Status>',
      );
    expect((await read(withMessage(told()))).nameId.value).toBe('dana');
    const failed = withMessage(told({ status: 'urn:oasis:names:tc:SAML:2.0:status:Responder' }));
    await expect(read(failed)).rejects.toThrow('SAML Status: Responder');
    await expect(read(signXml({ markup: failed }, key).markup)).rejects.toThrow('Well');
  });

  it('may be signed as a whole, by itself or in addition', async () => {
    const about = told();
    for (const inner of [assertion(about, null), assertion(about)]) {
      expect((await read(signXml(responseMarkup(about, inner), key).markup)).nameId.value).toBe('dana');
    }
  });

  it('gives the whole name although comments stand in it', async () => {
    const text = signedResponse(told({ nameId: 'dana@example.com.evil.example' }), key);
    const commented = text.replace('dana@example.com', 'dana@example.com<!-- -->');
    expect((await read(commented)).nameId.value).toBe('dana@example.com.evil.example');
  });

  it('may come with times in another zone, and a minute early or late', async () => {
    const about = told();
    const inZone = signedResponse(about, key);
    expect(inZone).toContain('Z"');
    const moved = assertionMarkup(about).markup.replaceAll(/(\d\d\d\d-\d\d-\d\dT\d\d:\d\d:\d\d)Z/g, (_all, time) => {
      const local = new Date(Date.parse(`${time}Z`) + 2 * 3_600_000).toISOString().slice(0, 19);
      return `${local}+02:00`;
    });
    const text = responseMarkup(about, signXml({ markup: moved }, key)).markup;
    expect((await read(text)).nameId.value).toBe('dana');
    for (const now of [about.now - 110_000, about.now + 350_000]) {
      expect((await read(inZone, { now })).nameId.value).toBe('dana');
    }
  });

  const encrypted = async (inner: Markup) =>
    xml(
      'saml:EncryptedAssertion',
      { 'xmlns:saml': 'urn:oasis:names:tc:SAML:2.0:assertion' },
      await encryptXml(inner, ours.certificate),
    );

  it('may hold an encrypted assertion, signed inside or as a whole', async () => {
    const about = told();
    const decryptionKey = ours.privateKey;
    const inside = responseMarkup(about, await encrypted(assertion(about))).markup;
    const whole = signXml(responseMarkup(about, await encrypted(assertion(about, null))), key).markup;
    for (const text of [inside, whole]) expect((await read(text, { decryptionKey })).nameId.value).toBe('dana');
    await expect(read(inside)).rejects.toThrow('no key to decrypt with');
    await expect(read(inside, { decryptionKey: other.privateKey })).rejects.toThrow('cannot be opened');
    await expect(read(signedResponse(about, key), { decryptionKey })).rejects.toThrow('must be encrypted');
    const unsigned = responseMarkup(about, await encrypted(assertion(about, null))).markup;
    await expect(read(unsigned, { decryptionKey })).rejects.toThrow('Nothing is signed');
  });

  it('may hold an encrypted assertion that uses prefixes declared around it', async () => {
    const about = told();
    const bare = { markup: assertionMarkup(about).markup.replaceAll(/ xmlns:\w+="[^"]+"/g, '') };
    const text = signXml(responseMarkup(about, await encrypted(bare)), key).markup;
    expect((await read(text, { decryptionKey: ours.privateKey })).nameId.value).toBe('dana');
  });

  const good = () => told({ assertionId: 'good' });
  const evil = () => told({ nameId: 'admin', assertionId: 'evil' });
  const unsignedEvil = () => assertion(evil(), null).markup;
  const signatureOf = (text: string) => /<ds:Signature .*<\/ds:Signature>/.exec(text)?.[0] ?? '';
  const inResponse = (...inside: string[]) => responseMarkup(good(), ...inside.map((markup) => ({ markup }))).markup;
  const signedGood = () => assertion(good()).markup;
  const bareGood = () => assertion(good(), null).markup;
  const afterIssuer = (text: string, inner: string) => text.replace('</saml:Issuer>', `</saml:Issuer>${inner}`);
  const inSignature = (signature: string, inner: string) =>
    signature.replace('</ds:Signature>', `${inner}</ds:Signature>`);
  const asObject = (inner: string) => `<ds:Object>${inner}</ds:Object>`;
  /** A response that is signed as a whole, its signature, and what it would be without. */
  const wholeSigned = () => signXml(responseMarkup(good(), assertion(good(), null)), key).markup;
  const evilWhole = () => responseMarkup({ ...evil(), responseId: 'evil-r' }, assertion(evil(), null)).markup;

  const attacks: Readonly<Record<string, readonly [words: string, make: () => string | Promise<string>]>> = {
    'nothing signed': ['Nothing is signed', () => inResponse(bareGood())],
    'XSW1: the signed response inside the signature of a changed copy': [
      'refers to another element',
      () =>
        afterIssuer(
          evilWhole(),
          inSignature(signatureOf(wholeSigned()), wholeSigned().replace(signatureOf(wholeSigned()), '')),
        ),
    ],
    'XSW2: the signed response before the signature, inside a changed copy': [
      'refers to another element',
      () =>
        afterIssuer(evilWhole(), wholeSigned().replace(signatureOf(wholeSigned()), '') + signatureOf(wholeSigned())),
    ],
    'XSW3: a forged assertion before the signed one': ['exactly one', () => inResponse(unsignedEvil(), signedGood())],
    'XSW4: the signed assertion inside the forged one': [
      'exactly one',
      () => inResponse(unsignedEvil().replace('</saml:Assertion>', `${signedGood()}</saml:Assertion>`)),
    ],
    'XSW5: the signature in a forged assertion, the original behind it': [
      'exactly one',
      () => inResponse(afterIssuer(unsignedEvil(), signatureOf(signedGood())), bareGood()),
    ],
    'XSW6: the original inside the signature of the forged assertion': [
      'exactly one',
      () => inResponse(afterIssuer(unsignedEvil(), inSignature(signatureOf(signedGood()), bareGood()))),
    ],
    'XSW7: the signed assertion in Extensions, a forged one in its place': [
      'exactly one',
      () => inResponse(`<samlp:Extensions>${signedGood()}</samlp:Extensions>`, unsignedEvil()),
    ],
    'XSW8: the original in an Object of the signature in the forged assertion': [
      'exactly one',
      () =>
        inResponse(
          afterIssuer(
            assertion({ ...evil(), assertionId: 'good' }, null).markup,
            inSignature(signatureOf(signedGood()), asObject(bareGood())),
          ),
        ),
    ],
    'two signed assertions': ['exactly one', () => inResponse(signedGood(), assertion(told({ nameId: 'eve' })).markup)],
    'the same assertion twice': ['exactly one', () => inResponse(signedGood(), signedGood())],
    'no assertion': ['Assertion element not found', () => inResponse()],
    'an assertion deeper down': [
      'Assertion element not found',
      () => inResponse(`<samlp:Extensions>${signedGood()}</samlp:Extensions>`),
    ],
    'a signature over another element': [
      'refers to another element',
      () => inResponse(afterIssuer(bareGood(), signatureOf(assertion(evil()).markup))),
    ],
    'an unsigned assertion inside a response with the signature of another': [
      'refers to another element',
      () => afterIssuer(evilWhole(), signatureOf(wholeSigned())),
    ],
    'a changed assertion inside a signed response': ['is not valid', () => wholeSigned().replace('>dana<', '>admin<')],
    'a broken signature of the response around a signed assertion': [
      'is not valid',
      () => {
        const text = signXml(responseMarkup(good(), assertion(good())), key).markup;
        return text.replace(/(<ds:SignatureValue>)./, '$1!');
      },
    ],
    'a forged assertion signed with another key': ['is not valid', () => inResponse(assertion(evil(), other).markup)],
    'a signature by SHA-1': [
      'not accepted',
      async () => {
        const weak = await idpKey({ ...key, signatureAlgorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' });
        return inResponse(signXml(assertionMarkup(good()), { ...weak, privateKey: key.privateKey }).markup);
      },
    ],
    'a signature by HMAC with the certificate as its key': [
      'not accepted',
      () => inResponse(signedGood().replace('2001/04/xmldsig-more#rsa-sha256', '2000/09/xmldsig#hmac-sha1')),
    ],
    'a document type with entities': [
      'document type',
      () => `<!DOCTYPE x [<!ENTITY a "dana"><!ENTITY b "&a;&a;">]>${signedResponse(good(), key)}`,
    ],
    'an entity that nobody declared': [
      'undefined entity',
      () => signedResponse(good(), key).replace('>dana<', '>&who;<'),
    ],
    'a document that is too long': [
      'longer than',
      () => signedResponse(good(), key).replace('</samlp:Status>', `</samlp:Status>${' '.repeat(600_000)}`),
    ],
    'a document that is nested too deeply': [
      'nested deeper',
      () => inResponse(`${'<a>'.repeat(100)}${'</a>'.repeat(100)}`, signedGood()),
    ],
    'a logout response instead': [
      'not a Response',
      () => signedResponse(good(), key).replaceAll('samlp:Response', 'samlp:LogoutResponse'),
    ],
    'SAML 1.1': ['version 2.0', () => signedResponse(good(), key).replace('Version="2.0"', 'Version="1.1"')],
  };
  for (const [name, [words, make]] of Object.entries(attacks)) {
    it(`is refused: ${name}`, async () => {
      const refusal = await read(await make()).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(SamlError);
      expect(String(refusal)).toContain(words);
    });
  }

  const unfit: Readonly<Record<string, [Partial<Told>, Partial<ResponseRules>, string]>> = {
    'an assertion that is over': [{ notOnOrAfter: -61_000, notBefore: -90_000 }, {}, 'not valid yet or expired'],
    'an assertion that is not valid yet': [{ notBefore: 120_000 }, {}, 'not valid yet or expired'],
    'another audience': [{ audience: 'https://else.example' }, {}, 'another audience'],
    'no audience': [{ audience: null }, {}, 'another audience'],
    'another recipient': [{ recipient: 'https://else.example/acs', destination: recipient }, {}, 'Recipient'],
    'another destination': [{ destination: 'https://else.example/acs' }, {}, 'Destination'],
    'another issuer': [{ idp: 'https://else.example' }, {}, 'Issuer'],
    'a failure': [{ status: 'urn:oasis:names:tc:SAML:2.0:status:Requester' }, {}, 'SAML Status: Requester'],
    'a verification with no key': [{}, { keys: [] }, 'signature'],
  };
  for (const [name, [about, more, words]] of Object.entries(unfit)) {
    it(`is refused for ${name}`, async () => {
      await expect(read(signedResponse(told(about), key), more)).rejects.toThrow(words);
    });
  }

  it('is refused when the response and its assertion disagree on the issuer or the request', async () => {
    const about = told({ inResponseTo: '_1' });
    const around = (more: Partial<Told>) => responseMarkup({ ...about, ...more }, assertion(about)).markup;
    await expect(read(around({ idp: 'https://else.example' }), { issuer: null })).rejects.toThrow('Issuer');
    await expect(read(around({ inResponseTo: null }))).rejects.toThrow('Mismatched request ID');
    await expect(read(around({ inResponseTo: '_2' }))).rejects.toThrow('Mismatched request ID');
    expect((await read(around({}), { issuer: null })).inResponseTo).toBe('_1');
  });

  const broken: Readonly<Record<string, [RegExp, string, string]>> = {
    'no Subject': [/<saml:Subject>.*<\/saml:Subject>/, '', 'Subject element not found'],
    'no NameID': [/<saml:NameID .*<\/saml:NameID>/, '', 'NameID element not found'],
    'elements in its NameID': [/>dana</, '>dana<x/>.evil<', 'NameID must hold text only'],
    'no bearer confirmation': [/cm:bearer/, 'cm:holder-of-key', 'no confirmation'],
    'a confirmation without an end': [/(<saml:SubjectConfirmationData [^>]*)NotOnOrAfter="[^"]+"/, '$1', 'expired'],
    'no Conditions': [/<saml:Conditions .*<\/saml:Conditions>/, '', 'no Conditions'],
    'a condition that nobody knows': [/<\/saml:Conditions>/, '<saml:Condition/></saml:Conditions>', 'not understood'],
    'no AuthnStatement': [/<saml:AuthnStatement [^>]*><\/saml:AuthnStatement>/, '', 'no AuthnStatement'],
    'a malformed time': [/NotBefore="[^"]+"/, 'NotBefore="soon"', 'not a date and time'],
    'no issuer': [/<saml:Issuer>.*<\/saml:Issuer>/, '<saml:Issuer/>', 'no Issuer'],
  };
  for (const [name, [what, instead, words]] of Object.entries(broken)) {
    it(`is refused when a signed assertion has ${name}`, async () => {
      const about = told();
      const markup = assertionMarkup(about).markup.replace(what, instead);
      const text = responseMarkup(about, signXml({ markup }, key)).markup;
      await expect(read(text)).rejects.toThrow(words);
    });
  }
});
