import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { generateCertificate } from '../../../src/lib/certificate/generate-certificate.ts';
import { readResponse } from '../../../src/lib/saml/response.ts';
import {
  dsNamespace,
  envelopedSignature,
  exclusiveC14n,
  isStrong,
  signatureMethods,
} from '../../../src/lib/xml/algorithms.ts';
import { attributeOf } from '../../../src/lib/xml/element.ts';
import { contentCiphers, encryptXml } from '../../../src/lib/xml/encrypt.ts';
import { readXml } from '../../../src/lib/xml/read-xml.ts';
import { signXml } from '../../../src/lib/xml/sign.ts';
import { verifySigned } from '../../../src/lib/xml/verify.ts';
import { xml } from '../../../src/lib/xml/write-xml.ts';
import { assertionMarkup, idpKey, responseMarkup, told } from '../../support/saml-idp.ts';
import { findXmlsec, xmlsecDecrypt, xmlsecEncrypt, xmlsecSign, xmlsecVerify } from '../../support/xmlsec.ts';

const sha256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
const element = 'urn:oasis:names:tc:SAML:2.0:assertion:Assertion';

const keyPair = (algorithm: 'rsa' | 'ecdsa') =>
  generateCertificate({ commonName: 'idp', subjectAltNames: [], validityDays: 1, algorithm, rsaBits: 2048 });

const assertion = (...content: Parameters<typeof xml>[2][]) =>
  xml(
    'saml:Assertion',
    { 'xmlns:saml': 'urn:oasis:names:tc:SAML:2.0:assertion', ID: 'a1' },
    xml('saml:Issuer', {}, 'https://idp.example'),
    ...content,
    xml('saml:NameID', {}, 'dana & "co" <x>\r\n\tü'),
  );

const strong = Object.entries(signatureMethods).filter(([, method]) => isStrong(method));

describe.skipIf(!(await findXmlsec()))('XML security beside xmlsec1', () => {
  it.each(strong)('xmlsec1 verifies what we sign by %s', async (signatureAlgorithm, { key }) => {
    const pair = await keyPair(key === 'ec' ? 'ecdsa' : 'rsa');
    const signing = { privateKey: createPrivateKey(pair.key), certificate: pair.certificate };
    const { markup } = signXml(assertion(), { ...signing, signatureAlgorithm, digestAlgorithm: sha256 });
    await xmlsecVerify(markup, pair.certificate, element);
    await expect(xmlsecVerify(markup.replace('dana', 'admin'), pair.certificate, element)).rejects.toThrow();
  });

  it.each(strong)('we verify what xmlsec1 signs by %s', async (signatureAlgorithm, { key }) => {
    const pair = await keyPair(key === 'ec' ? 'ecdsa' : 'rsa');
    const transform = (Algorithm: string) => xml('Transform', { Algorithm });
    const template = assertion(
      xml(
        'Signature',
        { xmlns: dsNamespace },
        xml(
          'SignedInfo',
          {},
          xml('CanonicalizationMethod', { Algorithm: exclusiveC14n }),
          xml('SignatureMethod', { Algorithm: signatureAlgorithm }),
          xml(
            'Reference',
            { URI: '#a1' },
            xml('Transforms', {}, transform(envelopedSignature), transform(exclusiveC14n)),
            xml('DigestMethod', { Algorithm: sha256 }),
            xml('DigestValue', {}),
          ),
        ),
        xml('SignatureValue', {}),
      ),
    );
    const signed = await xmlsecSign(template.markup, pair.key, element);
    const keys = [new X509Certificate(pair.certificate).publicKey];
    const read = (text: string) => verifySigned(readXml(text, { maxLength: 100_000 }), keys);
    expect(attributeOf(read(signed), 'ID')).toBe('a1');
    expect(() => read(signed.replace('dana', 'admin'))).toThrow('is not valid');
  });

  it('xmlsec1 decrypts what we encrypt', async () => {
    const pair = await keyPair('rsa');
    const { markup } = await encryptXml(assertion(), pair.certificate);
    expect(await xmlsecDecrypt(markup, pair.key)).toContain('dana &amp;');
  });

  const encryption = (cipher: string) => {
    const method = (Algorithm: string) => xml('xenc:EncryptionMethod', { Algorithm });
    const value = xml('xenc:CipherData', {}, xml('xenc:CipherValue', {}));
    const keyMethod = method('http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p');
    return xml(
      'xenc:EncryptedData',
      { 'xmlns:xenc': 'http://www.w3.org/2001/04/xmlenc#', Type: 'http://www.w3.org/2001/04/xmlenc#Element' },
      method(cipher),
      xml('ds:KeyInfo', { 'xmlns:ds': dsNamespace }, xml('xenc:EncryptedKey', {}, keyMethod, value)),
      value,
    ).markup;
  };

  it.each(contentCiphers)('we read assertions that xmlsec1 encrypts by %s', async (cipher) => {
    const [key, ours] = await Promise.all([idpKey(), idpKey()]);
    const [audience, recipient] = ['https://gatehouse.example/metadata', 'https://gatehouse.example/acs'];
    const about = told({ audience, recipient });
    const encrypt = (markup: string) => xmlsecEncrypt(markup, encryption(cipher), ours.certificate);
    const response = async (markup: string) => {
      const inside = (await encrypt(markup)).replace(/^<\?xml[^>]*>/, '');
      return responseMarkup(about, xml('saml:EncryptedAssertion', {}, { markup: inside }));
    };
    const read = (text: string) =>
      readResponse(text, {
        ...{ now: Date.now(), issuer: about.idp, audience, consumerUrl: recipient },
        ...{ keys: [new X509Certificate(key.certificate).publicKey], decryptionKey: ours.privateKey },
      });
    const whole = signXml(await response(assertionMarkup(about).markup), key).markup;
    expect((await read(whole)).nameId.value).toBe(about.nameId);
    // CBC alone does not authenticate: only under the signature of the response.
    const inner = read((await response(signXml(assertionMarkup(about), key).markup)).markup);
    if (cipher.endsWith('gcm')) expect((await inner).nameId.value).toBe(about.nameId);
    else await expect(inner).rejects.toThrow('cannot be opened');
  });
});
