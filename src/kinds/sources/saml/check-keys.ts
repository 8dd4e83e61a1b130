import { X509Certificate } from 'node:crypto';
import { sql } from 'kysely';
import type { Complaints } from '../../../lib/problem.ts';
import { signatureMethods } from '../../../lib/xml/algorithms.ts';
import type { Query } from '../../../platform/db/database.ts';
import type { CheckInput } from '../../../resource/resource.ts';

interface Keyed {
  readonly signing_kp: string | null;
  readonly encryption_kp: string | null;
  readonly signature_algorithm: string;
}

/** Whether the source's pairs can do what they are for. */
export async function checkKeys({ tx, values, current }: CheckInput<Keyed>): Promise<Complaints | null> {
  const { signing_kp, encryption_kp, signature_algorithm } = values;
  const isSame = (name: keyof Keyed) => current !== null && current[name] === values[name];
  if (!isSame('signing_kp') || !isSame('signature_algorithm')) {
    const signing = await pairOf(tx, signing_kp);
    if (signing && !signing.hasKey) return { signing_kp: ['Only a pair that has a private key can sign.'] };
    if (signing && signatureMethods[signature_algorithm]?.key !== signing.kind) {
      return { signature_algorithm: [`The signing pair has a key of the kind ${signing.kind}, which cannot sign so.`] };
    }
  }
  if (!isSame('encryption_kp')) {
    const encryption = await pairOf(tx, encryption_kp);
    if (encryption && (encryption.kind !== 'rsa' || !encryption.hasKey)) {
      return { encryption_kp: ['Only a pair with a private RSA key can decrypt.'] };
    }
  }
  return null;
}

async function pairOf(query: Query, pk: string | null): Promise<{ kind: string; hasKey: boolean } | null> {
  if (pk === null) return null;
  const { rows } = await sql<{ certificate_data: string; has_key: unknown }>`select certificate_data,
    key_data <> '' as has_key from certificates where pk = ${pk}`.execute(query);
  const [row] = rows;
  if (!row) return null;
  const kind = new X509Certificate(row.certificate_data).publicKey.asymmetricKeyType ?? '';
  return { kind, hasKey: Boolean(row.has_key) };
}
