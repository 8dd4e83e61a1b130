/** The identifiers of XML signatures and XML encryption that we write or accept. */
export const dsNamespace = 'http://www.w3.org/2000/09/xmldsig#';
const xencNamespace = 'http://www.w3.org/2001/04/xmlenc#';
export const exclusiveC14n = 'http://www.w3.org/2001/10/xml-exc-c14n#';
export const envelopedSignature = `${dsNamespace}enveloped-signature`;

const more = 'http://www.w3.org/2001/04/xmldsig-more#';

export type Hash = 'sha1' | 'sha256' | 'sha384' | 'sha512';
export type KeyKind = 'rsa' | 'ec';

export const digests: Readonly<Record<string, Hash>> = {
  [`${dsNamespace}sha1`]: 'sha1',
  [`${xencNamespace}sha256`]: 'sha256',
  [`${more}sha384`]: 'sha384',
  [`${xencNamespace}sha512`]: 'sha512',
};

export interface SignatureMethod {
  readonly key: KeyKind;
  readonly hash: Hash;
}

export const signatureMethods: Readonly<Record<string, SignatureMethod>> = {
  [`${dsNamespace}rsa-sha1`]: { key: 'rsa', hash: 'sha1' },
  [`${more}rsa-sha256`]: { key: 'rsa', hash: 'sha256' },
  [`${more}rsa-sha384`]: { key: 'rsa', hash: 'sha384' },
  [`${more}rsa-sha512`]: { key: 'rsa', hash: 'sha512' },
  [`${more}ecdsa-sha1`]: { key: 'ec', hash: 'sha1' },
  [`${more}ecdsa-sha256`]: { key: 'ec', hash: 'sha256' },
  [`${more}ecdsa-sha384`]: { key: 'ec', hash: 'sha384' },
  [`${more}ecdsa-sha512`]: { key: 'ec', hash: 'sha512' },
};

/** Whether a signature made so can be believed. SHA-1 cannot: two documents can be made that share it. */
export const isStrong = ({ hash }: { readonly hash: Hash }): boolean => hash !== 'sha1';
