import { type DerValue, derTag, readDer, readObjectId } from './der.ts';

/** RFC 4514 §3, including STREET, DC and UID. */
const shortNames: ReadonlyMap<string, string> = new Map([
  ['2.5.4.3', 'CN'],
  ['2.5.4.6', 'C'],
  ['2.5.4.7', 'L'],
  ['2.5.4.8', 'ST'],
  ['2.5.4.9', 'STREET'],
  ['2.5.4.10', 'O'],
  ['2.5.4.11', 'OU'],
  ['0.9.2342.19200300.100.1.1', 'UID'],
  ['0.9.2342.19200300.100.1.25', 'DC'],
]);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const utf16 = new TextDecoder('utf-16be', { fatal: true, ignoreBOM: true });

type Decode = (bytes: Uint8Array) => string;

const decoders: ReadonlyMap<number, Decode> = new Map<number, Decode>([
  [derTag.utf8String, (bytes) => utf8.decode(bytes)],
  [derTag.numericString, decodeLatin1],
  [derTag.printableString, decodeLatin1],
  [derTag.teletexString, decodeLatin1], // what is meant in practice, and how OpenSSL reads it
  [derTag.ia5String, decodeLatin1],
  [derTag.universalString, decodeUtf32],
  [derTag.bmpString, (bytes) => utf16.decode(bytes)],
]);

/**
 * The subject of a certificate as RFC 4514 text, most specific part first. Throws if the bytes are not a certificate.
 */
export function readSubject(certificate: Uint8Array): string {
  const [outer] = readDer(certificate);
  const [toBeSigned] = readDer(outer?.content ?? certificate);
  const fields = readDer(toBeSigned?.content ?? certificate);
  const versionTag = 0xa0;
  const subject = fields[fields[0]?.tag === versionTag ? 5 : 4];
  if (subject?.tag !== derTag.sequence) throw new RangeError('the certificate has no subject');
  return formatName(subject);
}

function formatName(name: DerValue): string {
  return readDer(name.content)
    .map((relativeName) => readDer(relativeName.content).map(formatAttribute).reverse().join('+'))
    .reverse()
    .join(',');
}

function formatAttribute(attribute: DerValue): string {
  const [type, value] = readDer(attribute.content);
  if (type?.tag !== derTag.objectId || !value) throw new RangeError('not an attribute of a name');
  const objectId = readObjectId(type.content);
  const shortName = shortNames.get(objectId);
  const decode = shortName === undefined ? undefined : decoders.get(value.tag);
  // RFC 4514 §2.4: without a short name or a string type, the value is written in hex.
  const text = decode ? escapeValue(decode(value.content)) : `#${Buffer.from(value.whole).toString('hex')}`;
  return `${shortName ?? objectId}=${text}`;
}

function decodeLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}

function decodeUtf32(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes);
  return Array.from({ length: bytes.length / 4 }, (_, index) =>
    String.fromCodePoint(buffer.readUInt32BE(index * 4)),
  ).join('');
}

/** RFC 4514 §2.4. Only NUL must be escaped, but all control characters are, so that a subject stays on one line. */
function escapeValue(text: string): string {
  const characters = [...text];
  const last = characters.length - 1;
  return characters
    .map((character, index) => {
      if (character < ' ' || character === '\x7f') return `\\${Buffer.from(character).toString('hex').toUpperCase()}`;
      const isSpecial = '"+,;<>\\'.includes(character);
      const isSpaceAtEdge = character === ' ' && (index === 0 || index === last);
      const isNumberSignAtStart = character === '#' && index === 0;
      return isSpecial || isSpaceAtEdge || isNumberSignAtStart ? `\\${character}` : character;
    })
    .join('');
}
