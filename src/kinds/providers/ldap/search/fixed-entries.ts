import { normalizeType } from '../../../../lib/ldap/dn.ts';
import { extensions } from '../server/extensions.ts';
import type { ServedProvider } from '../server/served-providers.ts';
import type { Container } from '../tree.ts';
import { supportedControls } from './controls.ts';
import type { Entry } from './match.ts';
import { withDn } from './users.ts';
import { Attributes } from './values.ts';

/** What the server can do. Which trees it serves is for those who have bound. */
export function rootDse(providers: readonly ServedProvider[], version: string): Entry {
  const attributes = new Attributes()
    .put('objectClass', 'top')
    .put('supportedLDAPVersion', '3')
    .put('supportedControl', ...supportedControls)
    .put('supportedExtension', ...extensions)
    .put('subschemaSubentry', 'cn=subschema')
    .put('vendorName', 'Gatehouse')
    .put('vendorVersion', version);
  const bases = providers.map(({ base_dn }) => base_dn.toLowerCase());
  attributes
    .put('namingContexts', ...bases)
    .put('rootDomainNamingContext', bases[0])
    .put('defaultNamingContext', bases[0]);
  if (bases.length === 0) attributes.put('description', 'This LDAP server requires an authenticated session.');
  return { dn: '', attributes };
}

/** The root of the tree of a provider. */
export function baseEntry({ base, base_dn }: ServedProvider): Entry {
  const [part] = base[0] ?? [];
  const attributes = new Attributes().put('objectClass', 'top', 'domain');
  if (part) attributes.put(normalizeType(part.type), part.value);
  return withDn(base_dn, attributes, true);
}

export function containerEntry({ base_dn }: ServedProvider, container: Container): Entry {
  const attributes = new Attributes()
    .put('objectClass', 'top', 'nsContainer', 'organizationalUnit')
    .put('ou', container)
    .put('cn', container);
  return withDn(`ou=${container},${base_dn}`, attributes, true);
}
