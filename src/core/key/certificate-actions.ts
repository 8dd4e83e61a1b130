import { generateCertificate, UnusableAltName } from '../../lib/certificate/generate-certificate.ts';
import { Invalid, Problem } from '../../lib/problem.ts';
import { createWorkQueue } from '../../lib/work-queue.ts';
import { defineAction } from '../../resource/define.ts';
import { booleanSchema, objectSchema, stringSchema } from '../../resource/document/json-schema.ts';
import { ReplyWith } from '../../resource/document/operations.ts';
import type { ValuesOf } from '../../resource/fields/field.ts';
import { integer } from '../../resource/fields/scalar.ts';
import { choice, text } from '../../resource/fields/text.ts';
import type { Action } from '../../resource/resource.ts';
import { modelFacts } from '../../resource/write/audit.ts';
import { asksForFile } from '../../resource/write/flags.ts';
import { createRow, showByKey } from '../../resource/write/write-row.ts';
import { certificateModel } from './certificate-model.ts';

const maxAltNames = 1_000;
const pemFile = 'application/x-pem-file';

const body = {
  common_name: text({ help: 'The common name of the certificate; also its name here.' }),
  subject_alt_name: text({ blank: true, default: '', help: 'Host names and IP addresses, separated by commas.' }),
  validity_days: integer({ min: 1, help: 'Validity in days.', isObvious: true }),
  alg: choice(['rsa', 'ecdsa'], { default: 'rsa', help: 'The kind of key.' }),
};

/** One at a time: concurrent RSA key generation would take all threads that password hashing needs. */
const limits = { concurrency: 1, queue: 20, full: () => new Problem('unavailable') };

export function generateAction() {
  const inTurn = createWorkQueue(limits);
  return defineAction({
    name: 'generate',
    on: 'set',
    method: 'POST',
    page: { button: 'Generate' },
    summary: 'Create a self-signed certificate with its key',
    access: { permission: 'svc_crypto.add_certificatekeypair' },
    body,
    bodySchema: 'CertificateGenerationRequest',
    answer: { status: 200, schema: 'self' },
    prepare: ({ values }) => inTurn(() => generate(values)),
    run: storeGenerated,
  });
}

type Run = Parameters<Action<unknown, typeof body, Awaited<ReturnType<typeof generate>>>['run']>[0];

async function storeGenerated({ engine, registry, call, tx, values, prepared }: Run) {
  const { certificate, key } = prepared;
  const resource = registry.require(certificateModel);
  const pair = { name: values.common_name, certificate_data: certificate, key_data: key };
  try {
    const { pk } = await createRow({ engine, resource, call, tx }, pair);
    return await showByKey({ engine, resource, call, tx }, pk);
  } catch (error) {
    // To the caller this field is `common_name`.
    if (error instanceof Invalid && error.complaints.name) throw new Invalid({ common_name: error.complaints.name });
    throw error;
  }
}

async function generate(values: ValuesOf<typeof body>) {
  const subjectAltNames = values.subject_alt_name
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  // Each takes time and blocks the event loop.
  if (subjectAltNames.length > maxAltNames) {
    throw Invalid.field('subject_alt_name', `At most ${maxAltNames} names are possible.`);
  }
  try {
    return await generateCertificate({
      commonName: values.common_name,
      subjectAltNames,
      validityDays: values.validity_days,
      algorithm: values.alg,
    });
  } catch (error) {
    if (error instanceof UnusableAltName) throw Invalid.field('subject_alt_name', error.message);
    throw error;
  }
}

export const viewCertificateAction: Action<Pair> = {
  ...viewing('certificate', 'certificate_data'),
  page: { button: 'Show the certificate' },
  summary: 'Read the certificate',
  access: 'visible',
};

/** Viewing a private key requires its own permission. */
export const viewPrivateKeyAction: Action<Pair> = {
  ...viewing('private_key', 'key_data'),
  page: { button: 'Show the private key' },
  summary: 'Read the private key',
  access: { permission: 'svc_crypto.view_certificatekeypair_key' },
};

/** `key_data` is null if it cannot be decrypted. */
type Pair = { pk: string; name: string; certificate_data: string; key_data: string | null };

/** Returns JSON or, with `?download`, a PEM file. Every access is recorded. */
function viewing(
  type: 'certificate' | 'private_key',
  column: 'certificate_data' | 'key_data',
): Omit<Action<Pair>, 'page' | 'summary' | 'access'> {
  return {
    name: `view_${type}`,
    on: 'row',
    method: 'GET',
    query: { download: booleanSchema },
    answer: { status: 200, schema: objectSchema({ data: stringSchema }), schemaName: 'CertificateData', file: pemFile },
    async run({ call, registry, row }) {
      const data = row[column];
      if (data === null) throw Invalid.whole('The private key cannot be opened with the secret key of this server.');
      const resource = registry.require(certificateModel);
      const secret = modelFacts(resource, row.pk, row);
      await call.db.write((tx) =>
        call.world.record(tx, call, { action: 'secret_view', app: resource.app, context: { secret, type } }),
      );
      if (!asksForFile(call.request.query)) return { data };
      const disposition = `attachment; filename="${fileName(row.name)}_${type}.pem"`;
      return new ReplyWith(200, data, { 'content-type': pemFile, 'content-disposition': disposition });
    },
  };
}

/** Only characters that every file system accepts and that cannot end the header's quoted string. */
const fileName = (name: string) => name.replace(/[^\w.-]+/g, '_').slice(0, 100);
