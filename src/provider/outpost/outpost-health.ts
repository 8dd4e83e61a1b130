import { getFips } from 'node:crypto';
import { hostname } from 'node:os';
import { actionOn } from '../../resource/define.ts';
import { arrayOf, booleanSchema, objectSchema, orNull, stringSchema } from '../../resource/document/json-schema.ts';
import { listInstances } from './outpost-instances.ts';
import { embeddedOutpost } from './served-here.ts';

interface OutpostHealthNeeds {
  readonly installId: string;
  readonly version: string;
}

const healthSchema = objectSchema({
  uid: stringSchema,
  last_seen: { type: 'string', format: 'date-time' },
  version: stringSchema,
  golang_version: stringSchema,
  openssl_enabled: booleanSchema,
  openssl_version: stringSchema,
  fips_enabled: orNull(booleanSchema),
  version_should: stringSchema,
  version_outdated: booleanSchema,
  build_hash: stringSchema,
  build_hash_should: stringSchema,
  hostname: stringSchema,
});

/** The instances that run an outpost now. Of the embedded one, that is the server that responds. */
export const healthAction = ({ installId, version }: OutpostHealthNeeds) =>
  actionOn<{ pk: string; managed: string | null }>()({
    name: 'health',
    on: 'row',
    method: 'GET',
    operation: 'health_list',
    page: { button: 'Health' },
    summary: 'List the running instances of the outpost',
    access: 'visible',
    answer: { status: 200, schema: arrayOf(healthSchema), schemaName: 'OutpostHealth' },
    async run({ row, call }) {
      if (row.managed !== embeddedOutpost) {
        const instances = await listInstances(call.db.read, row.pk, call.now);
        return instances.map((instance) => ({
          ...{ ...instance, version_should: version, version_outdated: instance.version !== version },
          ...{ build_hash: '', build_hash_should: '', golang_version: '', openssl_enabled: true, fips_enabled: null },
        }));
      }
      return [
        {
          uid: installId,
          last_seen: call.now,
          version,
          version_should: version,
          version_outdated: false,
          build_hash: '',
          build_hash_should: '',
          hostname: hostname(),
          golang_version: '',
          openssl_enabled: true,
          openssl_version: `OpenSSL ${process.versions.openssl}`,
          fips_enabled: getFips() === 1,
        },
      ];
    },
  });
