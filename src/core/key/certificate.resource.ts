import { sql } from 'kysely';
import { type CertificateFacts, keyMatchesCertificate, readPrivateKey } from '../../lib/certificate.ts';
import type { Complaints } from '../../lib/problem.ts';
import { defineResource } from '../../resource/define.ts';
import {
  booleanSchema,
  type JsonSchema,
  orNull,
  stringSchema,
  timeSchema,
} from '../../resource/document/json-schema.ts';
import type { ReadContext } from '../../resource/fields/field.ts';
import { secret } from '../../resource/fields/secret.ts';
import { text } from '../../resource/fields/text.ts';
import type { CheckInput, Derived, Filter, Resource } from '../../resource/resource.ts';
import { readFlag } from '../../resource/write/flags.ts';
import { generateAction, viewCertificateAction, viewPrivateKeyAction } from './certificate-actions.ts';
import { createPemReader, type PemReader } from './certificate-facts.ts';
import { certificateModel } from './certificate-model.ts';

const path = '/crypto/certificatekeypairs/';

/**
 * Certificates, with or without their private keys. Keys are sealed at rest and leave only through `view_private_key`.
 */
export function certificateResource(): Resource {
  const reader = createPemReader();
  return defineResource({
    path,
    param: 'kp_uuid',
    key: 'uuid',
    model: certificateModel,
    schema: 'CertificateKeyPair',
    names: ['Certificate-Key Pair', 'Certificate-Key Pairs'],
    labels: ['Certificate', 'Certificates'],
    table: 'certificates',
    reaches: 'sign-in',
    // Signs tokens and assertions of every provider without a key pair of its own.
    signsIn: (row) => sql`${row.col('managed')} is not null`,
    order: ['name'],
    page: { columns: ['name', 'private_key_available', 'private_key_type', 'cert_expiry', 'managed'] },
    search: ['name'],
    filters: { has_key: hasKey, include_details: includeDetails },
    fields: {
      name: text({
        unique: 'Certificate-Key Pair with this name already exists.',
        filter: true,
        help: 'The name of the key pair; unique.',
      }),
      managed: text({
        nullable: true,
        readOnly: true,
        default: null,
        filter: true,
        help: 'Marks objects that Gatehouse creates and keeps up to date.',
      }),
      certificate_data: text({
        lines: true,
        writeOnly: true,
        check: (pem) => certificateComplaint(reader.certificate(pem)),
        help: 'The certificate, as PEM text.',
      }),
      key_data: secret({
        lines: true,
        writeOnly: true,
        blank: true,
        default: '',
        check: (pem) => (readPrivateKey(pem) ? null : 'Unable to load private key (possibly encrypted?).'),
        help: 'The private key, as unencrypted PEM text; empty for a certificate alone.',
      }),
    },
    derived: {
      fingerprint_sha256: detail(reader, stringSchema, (facts) => facts.fingerprintSha256),
      fingerprint_sha1: detail(reader, stringSchema, (facts) => facts.fingerprintSha1),
      cert_expiry: detail(reader, timeSchema, (facts) => facts.notAfter),
      cert_subject: detail(reader, stringSchema, (facts) => facts.subject),
      private_key_available: { schema: booleanSchema, from: hasReadableKey },
      private_key_type: {
        schema: orNull(stringSchema),
        from: (row, context) => (showsDetails(context) && hasReadableKey(row) ? reader.keyType(row.key_data) : null),
      },
      certificate_download_url: download('view_certificate'),
      private_key_download_url: download('view_private_key'),
    },
    check: checkBelongTogether,
    actions: [generateAction(), viewCertificateAction, viewPrivateKeyAction],
  });
}

function certificateComplaint(facts: CertificateFacts | null): string | null {
  if (!facts) return 'Unable to load certificate.';
  return facts.hasWeakKey ? 'Its RSA key is too short: at least 1024 bits are needed.' : null;
}

/** False without a key, or with one that cannot be decrypted. */
const hasReadableKey = ({ key_data }: { key_data: string | null }): boolean => key_data !== '' && key_data !== null;

/** A member parsed from the certificate; null when the caller excludes details. */
const detail = (
  reader: PemReader,
  schema: JsonSchema,
  pick: (facts: CertificateFacts) => string,
): Derived<{ certificate_data: string }> => ({
  schema: orNull(schema),
  from(row, context) {
    if (!showsDetails(context)) return null;
    const facts = reader.certificate(row.certificate_data);
    return facts && pick(facts);
  },
});

const download = (name: string): Derived<{ pk: string }> => ({
  schema: stringSchema,
  from: ({ pk }) => `/api/v3${path}${pk}/${name}/?download`,
});

const showsDetails = ({ call }: ReadContext) => readFlag(call.request.query.get('include_details')) !== false;

/** Affects the response, not the rows. */
const includeDetails: Filter = { schema: { ...booleanSchema, default: true }, condition: () => null };

/** Only pairs with a key; `false` does not filter. */
const hasKey: Filter = {
  schema: booleanSchema,
  condition: ({ texts, row }) => (readFlag(texts[0]) ? sql`${row.col('key_data')} <> ''` : null),
};

function checkBelongTogether({
  values,
  given,
}: CheckInput<{ key_data: string; certificate_data: string }>): Complaints | null {
  if (!given.has('certificate_data') && !given.has('key_data')) return null;
  if (!hasReadableKey(values)) return null;
  return keyMatchesCertificate(values.key_data, values.certificate_data)
    ? null
    : { non_field_errors: ['The private key does not belong to the certificate.'] };
}
