import { hash } from 'node:crypto';
import { findNamedBrand } from '../../../core/brand/brand-of-host.ts';
import { bindings, metadataNamespace, nameIdFormats, protocolNamespace } from '../../../lib/saml/names.ts';
import { dsNamespace } from '../../../lib/xml/algorithms.ts';
import type { SigningKey } from '../../../lib/xml/sign.ts';
import { certificateMarkup, writeSigned } from '../../../lib/xml/write-signed.ts';
import { type Markup, xml } from '../../../lib/xml/write-xml.ts';
import type { Query } from '../../../platform/db/database.ts';
import type { ServiceProvider } from './service-provider.ts';
import { issuerOf, samlPaths } from './urls.ts';

type Described = Pick<ServiceProvider, 'pk' | 'name' | 'issuer' | 'signing' | 'verification' | 'application'>;

const offeredFormats = [nameIdFormats.email, nameIdFormats.persistent, nameIdFormats.x509, nameIdFormats.transient];

/** SAML 2.0 Metadata, appendix A. */
export const metadataType = 'application/samlmetadata+xml';

/**
 * The document by which a service provider learns of us (SAML metadata 2.0, section 2.4.3). With `only`, one binding.
 */
export async function idpMetadata(
  provider: Described,
  publicUrl: string,
  { key, only, query }: { readonly key: SigningKey | null; readonly only: string | null; readonly query: Query },
): Promise<string> {
  const { slug } = provider.application;
  const paths = samlPaths(slug);
  const brand = await findNamedBrand(URL.parse(publicUrl)?.hostname ?? '', query);
  const services = (name: string, offered: Readonly<Record<string, string>>): Markup[] =>
    Object.entries(offered)
      .filter(([Binding]) => only === null || Binding === only)
      .map(([Binding, path]) => xml(name, { Binding, Location: `${publicUrl}${path}` }));
  const descriptor = xml(
    'md:IDPSSODescriptor',
    {
      protocolSupportEnumeration: protocolNamespace,
      WantAuthnRequestsSigned: provider.verification === null ? null : 'true',
    },
    brand && xml('md:Extensions', {}, scopeOf(brand.domain)),
    provider.signing &&
      xml(
        'md:KeyDescriptor',
        { use: 'signing' },
        xml('ds:KeyInfo', { 'xmlns:ds': dsNamespace }, certificateMarkup(provider.signing.certificate)),
      ),
    services('md:SingleLogoutService', {
      [bindings.redirect]: paths.sloRedirect,
      [bindings.post]: paths.sloPost,
      [bindings.soap]: paths.sloSoap,
    }),
    offeredFormats.map((format) => xml('md:NameIDFormat', {}, format)),
    services('md:SingleSignOnService', { [bindings.redirect]: paths.ssoRedirect, [bindings.post]: paths.ssoPost }),
  );
  const id = `_${hash('sha256', `${provider.name}-${provider.pk}`)}`;
  const entityID = issuerOf(publicUrl, { issuer: provider.issuer, slug });
  const write = (signature: Markup | null) =>
    xml('md:EntityDescriptor', { 'xmlns:md': metadataNamespace, ID: id, entityID }, signature, descriptor);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${(await writeSigned({ id, write }, key)).markup}`;
}

/**
 * The domain of scoped attributes (Shibboleth metadata 1.0): Shibboleth drops an `eduPersonPrincipalName` of any other.
 */
const scopeOf = (domain: string): Markup =>
  xml('shibmd:Scope', { 'xmlns:shibmd': 'urn:mace:shibboleth:metadata:1.0', regexp: 'false' }, domain);
