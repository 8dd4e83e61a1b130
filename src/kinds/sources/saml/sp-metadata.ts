import { loadKeyPair } from '../../../core/key/key-pair.ts';
import { bindings, metadataNamespace, protocolNamespace } from '../../../lib/saml/names.ts';
import { dsNamespace } from '../../../lib/xml/algorithms.ts';
import { type Markup, xml } from '../../../lib/xml/write-xml.ts';
import type { Query } from '../../../platform/db/database.ts';
import type { ResourceWorld } from '../../../resource/call.ts';
import { certificatesIn } from './saml-keys.ts';
import { nameIdFormatOf, ourSide, type SamlSource } from './saml-model.ts';

interface Reads {
  readonly query: Query;
  readonly world: ResourceWorld;
}

/** The document with which an identity provider learns of this source (SAML metadata 2.0, section 2.4.4). */
export async function metadataOf(source: SamlSource, publicUrl: string, reads: Reads): Promise<string> {
  const { entityId, consumerUrl, logoutUrl } = ourSide(source, publicUrl);
  const descriptor = xml(
    'md:SPSSODescriptor',
    {
      protocolSupportEnumeration: protocolNamespace,
      AuthnRequestsSigned: String(source.signing_kp !== null),
      WantAssertionsSigned: String(source.verification_kp !== null),
    },
    await keyDescriptor('signing', source.signing_kp, reads),
    await keyDescriptor('encryption', source.encryption_kp, reads),
    source.slo_url
      ? [bindings.redirect, bindings.post].map((Binding) =>
          xml('md:SingleLogoutService', { Binding, Location: logoutUrl }),
        )
      : null,
    xml('md:NameIDFormat', {}, nameIdFormatOf(source)),
    xml('md:AssertionConsumerService', {
      isDefault: 'true',
      index: '0',
      Binding: bindings.post,
      Location: consumerUrl,
    }),
  );
  const namespaces = { 'xmlns:md': metadataNamespace, 'xmlns:ds': dsNamespace };
  const root = xml('md:EntityDescriptor', { ...namespaces, entityID: entityId }, descriptor);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root.markup}`;
}

async function keyDescriptor(
  use: 'signing' | 'encryption',
  key: string | null,
  { query, world }: Reads,
): Promise<Markup | null> {
  const pair = key === null ? null : await loadKeyPair(query, world, key);
  const [certificate] = pair ? certificatesIn(pair.certificate) : [];
  if (!certificate) return null;
  const data = xml('ds:X509Certificate', {}, certificate.raw.toString('base64'));
  return xml('md:KeyDescriptor', { use }, xml('ds:KeyInfo', {}, xml('ds:X509Data', {}, data)));
}
