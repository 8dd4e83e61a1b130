import { digests, dsNamespace, isStrong, signatureMethods } from '../../../lib/xml/algorithms.ts';

/** DSA is in the interface for old clients; nothing signs by it. */
const dsaSha1 = `${dsNamespace}dsa-sha1`;

export const digestAlgorithms: readonly string[] = Object.keys(digests);
export const signatureAlgorithms: readonly string[] = [...Object.keys(signatureMethods), dsaSha1];

const more = 'http://www.w3.org/2001/04/xmldsig-more#';
export const defaultDigest = 'http://www.w3.org/2001/04/xmlenc#sha256';
/** By the kind of the key that signs. */
export const defaultSignature: Readonly<Record<string, string>> = {
  rsa: `${more}rsa-sha256`,
  ec: `${more}ecdsa-sha256`,
};

/** Whether anything new may be signed so. */
export function isStrongAlgorithm(name: string): boolean {
  const digest = digests[name];
  const method = digest ? { hash: digest } : signatureMethods[name];
  return method !== undefined && isStrong(method);
}

/** The kind of key that a signature algorithm takes; null for one that nothing signs by. */
export const keyKindOf = (name: string): string | null => signatureMethods[name]?.key ?? null;
