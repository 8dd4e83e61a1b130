import { type KeyObject, X509Certificate } from 'node:crypto';
import { sql } from 'kysely';
import { certificateModel } from '../../../core/key/certificate-model.ts';
import { asObject } from '../../../lib/json.ts';
import { Invalid } from '../../../lib/problem.ts';
import type { Query } from '../../../platform/db/database.ts';
import type { NewEvent } from '../../../resource/call.ts';
import { canonicalUuid } from '../../../resource/fields/scalar.ts';
import type { SecurityProfile } from './security-profile.ts';
import { canSign } from './signing.ts';

/** Why tokens cannot be signed with this pair, or null. */
export async function signingPairComplaint(tx: Query, pk: string, profile: SecurityProfile): Promise<string | null> {
  const { rows } = await sql<{ certificate_data: string; has_key: unknown }>`select certificate_data,
    key_data <> '' as has_key from certificates where pk = ${pk}`.execute(tx);
  const [pair] = rows;
  if (!pair?.has_key) return 'Tokens can only be signed with a pair that has a private key.';
  const key = publicKeyOf(pair.certificate_data);
  if (key && canSign(key, profile)) return null;
  return 'Tokens cannot be signed with this kind of key. Use RSA with at least 2048 bits, EC on P-256, P-384 or P-521, or Ed25519.';
}

export function publicKeyOf(pem: string): KeyObject | null {
  try {
    return new X509Certificate(pem).publicKey;
  } catch {
    // Node throws for certificates that it cannot parse.
    return null;
  }
}

/** Rejects a key that cannot sign for a pair that providers sign with. */
export async function checkChangedPair(tx: Query, { action, context }: NewEvent): Promise<void> {
  const { model, diff } = asObject(context);
  const { app, model_name, pk } = asObject(model);
  if (action !== 'model_updated' || `${app}.${model_name}` !== certificateModel || typeof pk !== 'string') return;
  const changed = ['certificate_data', 'key_data'].find((name) => Object.hasOwn(asObject(diff), name));
  if (changed === undefined) return;
  const pair = canonicalUuid(pk);
  const { rows } = await sql<{ name: string; security_profile: SecurityProfile }>`select p.name, o.security_profile
    from provider_oauth2 o join providers p on p.pk = o.pk where o.signing_key = ${pair} order by p.name`.execute(tx);
  for (const { name, security_profile } of rows) {
    const complaint = await signingPairComplaint(tx, pair, security_profile);
    if (complaint) throw Invalid.field(changed, `The provider ${name} signs with this pair. ${complaint}`);
  }
}
