import { writeLogoutRequest } from '../../../../lib/saml/logout.ts';
import { signXml } from '../../../../lib/xml/sign.ts';
import type { Markup } from '../../../../lib/xml/write-xml.ts';
import type { Login } from '../logins.ts';
import type { ServiceProvider } from '../service-provider.ts';
import type { KeyOf } from '../signing-key.ts';

/** The logout request for one service provider. */
export function logoutRequestFor(
  keyOf: KeyOf,
  provider: ServiceProvider,
  login: Login,
  { id, now }: { readonly id: string; readonly now: string },
): Markup {
  const request = writeLogoutRequest({
    id,
    issuer: login.issuer,
    destination: provider.sls_url,
    now: new Date(now),
    nameId: { value: login.name_id, format: login.name_id_format, qualifier: null, spQualifier: null },
    sessionIndexes: [login.session_index],
  });
  const key = keyOf(provider);
  // By redirect, the address is signed instead (SAML bindings, section 3.4.4.1).
  return key && provider.sls_binding !== 'redirect' ? signXml(request, key) : request;
}
