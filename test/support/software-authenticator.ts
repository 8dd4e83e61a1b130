import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { writeBitString, writeDer, writeObjectId, writeUnsigned } from '../../src/lib/certificate/der.fixture.ts';
import { derTag } from '../../src/lib/certificate/der.ts';
import { type Cbor, writeCbor } from './cbor.ts';

/** What an authenticator and the browser around it do otherwise than honest ones. */
export interface Tricks {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly counter?: number;
  readonly verifiesUser?: boolean;
  readonly isPresent?: boolean;
  readonly credentialId?: string;
  readonly userHandle?: string;
  readonly breaksSignature?: boolean;
  /** Instead of an attestation statement. */
  readonly statement?: Cbor;
  /** Instead of the whole attestation object. */
  readonly object?: Buffer;
}

export interface AuthenticatorOptions {
  /** The page it is used on. */
  readonly origin: string;
  readonly aaguid?: string;
  /** What vouches for it: nothing, its own key, or a maker's certificate. */
  readonly attestation?: 'none' | 'self' | 'maker';
  readonly verifiesUser?: boolean;
  /** Passkeys that are synchronised do not count. */
  readonly counts?: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: options come as the server wrote them
type Options = any;

export interface SoftwareAuthenticator {
  readonly credentialId: string;
  register(options: Options, tricks?: Tricks): Record<string, unknown>;
  prove(options: Options, tricks?: Tricks): Record<string, unknown>;
}

const flags = { present: 0x01, verified: 0x04, attested: 0x40 };
const es256 = -7;
const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest();

/** A security key in software: one ES256 key, counted signatures. */
export function createAuthenticator({
  origin,
  aaguid = '00000000-0000-0000-0000-000000000000',
  attestation = 'none',
  verifiesUser = true,
  counts = true,
}: AuthenticatorOptions): SoftwareAuthenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = base64url(randomBytes(32));
  let counter = 0;
  let owner: string | undefined;

  const clientData = (type: string, options: Options, tricks: Tricks): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: tricks.type ?? type,
        challenge: tricks.challenge ?? options.challenge,
        origin: tricks.origin ?? origin,
        crossOrigin: false,
      }),
    );

  function authenticatorData(rpId: string, tricks: Tricks, attested?: Uint8Array): Buffer {
    if (counts) counter += 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(tricks.counter ?? counter);
    const isVerified = tricks.verifiesUser ?? verifiesUser;
    const flag =
      (tricks.isPresent === false ? 0 : flags.present) |
      (isVerified ? flags.verified : 0) |
      (attested ? flags.attested : 0);
    return Buffer.concat([sha256(tricks.rpId ?? rpId), Buffer.from([flag]), count, attested ?? Buffer.alloc(0)]);
  }

  return {
    credentialId,
    register(options, tricks = {}) {
      owner = options.user.id;
      const id = Buffer.from(tricks.credentialId ?? credentialId, 'base64url');
      const attested = Buffer.concat([
        Buffer.from(aaguid.replaceAll('-', ''), 'hex'),
        Buffer.from([id.length >> 8, id.length & 0xff]),
        id,
        writeCbor(coseKey(publicKey)),
      ]);
      const authData = authenticatorData(options.rp.id, tricks, attested);
      const client = clientData('webauthn.create', options, tricks);
      const object = new Map<string, Cbor>([
        ...attest(attestation, aaguid, privateKey, Buffer.concat([authData, sha256(client)])),
        ...(tricks.statement === undefined ? [] : ([['attStmt', tricks.statement]] as const)),
        ['authData', authData],
      ]);
      return {
        id: base64url(id),
        rawId: base64url(id),
        type: 'public-key',
        authenticatorAttachment: 'cross-platform',
        clientExtensionResults: {},
        response: {
          clientDataJSON: base64url(client),
          attestationObject: base64url(tricks.object ?? writeCbor(object)),
          transports: ['usb'],
        },
      };
    },
    prove(options, tricks = {}) {
      const authData = authenticatorData(options.rpId, tricks);
      const client = clientData('webauthn.get', options, tricks);
      const signature = sign('sha256', Buffer.concat([authData, sha256(client)]), privateKey);
      if (tricks.breaksSignature) signature[signature.length - 1] = (signature.at(-1) ?? 0) ^ 1;
      return {
        id: tricks.credentialId ?? credentialId,
        rawId: tricks.credentialId ?? credentialId,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(authData),
          signature: base64url(signature),
          userHandle: tricks.userHandle ?? owner,
        },
      };
    },
  };
}

/** RFC 9053 §7.1: an ES256 key. */
function coseKey(publicKey: KeyObject): Cbor {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return new Map<number, Cbor>([
    [1, 2],
    [3, es256],
    [-1, 1],
    [-2, Buffer.from(x, 'base64url')],
    [-3, Buffer.from(y, 'base64url')],
  ]);
}

function attest(by: 'none' | 'self' | 'maker', aaguid: string, own: KeyObject, signed: Buffer): [string, Cbor][] {
  if (by === 'none') {
    return [
      ['fmt', 'none'],
      ['attStmt', new Map()],
    ];
  }
  const maker = by === 'maker' ? makersCertificate(aaguid) : null;
  const statement = new Map<string, Cbor>([
    ['alg', es256],
    ['sig', sign('sha256', signed, maker?.privateKey ?? own)],
    ...(maker ? ([['x5c', [maker.certificate]]] as [string, Cbor][]) : []),
  ]);
  return [
    ['fmt', 'packed'],
    ['attStmt', statement],
  ];
}

/** A certificate as the makers of authenticators put into them (WebAuthn §8.2.1). */
function makersCertificate(aaguid: string): { certificate: Uint8Array; privateKey: KeyObject } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const part = (objectId: string, tag: number, text: string) =>
    writeDer(derTag.set, writeDer(derTag.sequence, writeObjectId(objectId), writeDer(tag, Buffer.from(text))));
  const name = writeDer(
    derTag.sequence,
    part('2.5.4.6', derTag.printableString, 'SE'),
    part('2.5.4.10', derTag.utf8String, 'Makers of Keys'),
    part('2.5.4.11', derTag.utf8String, 'Authenticator Attestation'),
    part('2.5.4.3', derTag.utf8String, 'A Key'),
  );
  const make = writeDer(derTag.octetString, Buffer.from(aaguid.replaceAll('-', ''), 'hex'));
  const extensions = writeDer(
    derTag.sequence,
    writeDer(
      derTag.sequence,
      writeObjectId('2.5.29.19'),
      writeDer(derTag.boolean, Uint8Array.of(0xff)),
      writeDer(derTag.octetString, writeDer(derTag.sequence)),
    ),
    writeDer(derTag.sequence, writeObjectId('1.3.6.1.4.1.45724.1.1.4'), writeDer(derTag.octetString, make)),
  );
  const algorithm = writeDer(derTag.sequence, writeObjectId('1.2.840.10045.4.3.2'));
  const times = ['200101000000Z', '491231235959Z'].map((time) => writeDer(derTag.utcTime, Buffer.from(time)));
  const toBeSigned = writeDer(
    derTag.sequence,
    writeDer(0xa0, writeUnsigned(Uint8Array.of(2))),
    writeUnsigned(randomBytes(8)),
    algorithm,
    name,
    writeDer(derTag.sequence, ...times),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    writeDer(0xa3, extensions),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  return { certificate: writeDer(derTag.sequence, toBeSigned, algorithm, writeBitString(signature)), privateKey };
}
