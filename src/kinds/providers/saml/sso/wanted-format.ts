import { nameIdFormats, specifiedFormat } from '../../../../lib/saml/names.ts';
import { knownFormats } from '../name-id.ts';
import type { ServiceProvider } from '../service-provider.ts';
import type { PendingRequest } from './pending-request.ts';
import { SsoError } from './sso-error.ts';

/** The requested NameID format, as spelled in the request; without one, the format of the provider. */
export function wantedFormat(
  { default_name_id_policy }: Pick<ServiceProvider, 'default_name_id_policy'>,
  { nameIdFormat }: Pick<PendingRequest, 'nameIdFormat'>,
): string {
  if (nameIdFormat === null || nameIdFormat === '' || nameIdFormat === nameIdFormats.unspecified) {
    return default_name_id_policy;
  }
  if (knownFormats.has(specifiedFormat(nameIdFormat))) return nameIdFormat;
  throw new SsoError('nameId', `Assertion contains NameID with unsupported format ${nameIdFormat.slice(0, 200)}.`);
}
