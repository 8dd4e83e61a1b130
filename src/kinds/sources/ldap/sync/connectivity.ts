import { sql } from 'kysely';
import type { Call } from '../../../../resource/call.ts';
import type { Directory } from '../client/directory.ts';
import type { DirectoryError } from '../client/directory-error.ts';
import { valuesOf } from '../client/values.ts';
import type { LdapSource } from '../ldap-model.ts';

/** Stores whether the servers could be used, and what the server says of itself. */
export async function storeConnectivity(
  call: Call,
  source: LdapSource,
  result: Directory | DirectoryError,
): Promise<void> {
  const status = 'server' in result ? await describe(result) : { __all__: { status: result.message } };
  await call.db.write((tx) =>
    sql`update source_ldap set connectivity = ${JSON.stringify(status)} where pk = ${source.pk}`.execute(tx),
  );
}

async function describe(directory: Directory) {
  const root = await directory.read('', [
    'vendorName',
    'vendorVersion',
    'supportedCapabilities',
    'structuralObjectClass',
  ]);
  const first = (name: string) => (root && valuesOf(root, name)[0]) ?? '';
  const isOpenLdap = first('structuralObjectClass') === 'OpenLDAProotDSE';
  const vendor = first('vendorName') || (isOpenLdap ? 'OpenLDAP' : '');
  return { [directory.server]: { vendor, version: first('vendorVersion'), status: 'ok' } };
}
