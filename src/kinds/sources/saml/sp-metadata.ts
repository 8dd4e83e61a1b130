import { hash } from 'node:crypto';
import { loadKeyPair } from '../../../core/key/key-pair.ts';
import { bindings, metadataNamespace, protocolNamespace } from '../../../lib/saml/names.ts';
import { dsNamespace } from '../../../lib/xml/algorithms.ts';
import { acceptedEncryption } from '../../../lib/xml/encrypt.ts';
import { certificateMarkup, writeSigned } from '../../../lib/xml/write-signed.ts';
import { type Markup, xml } from '../../../lib/xml/write-xml.ts';
import type { Query } from '../../../platform/db/database.ts';
import type { ResourceWorld } from '../../../resource/call.ts';
import { signingKey } from './saml-keys.ts';
import { nameIdFormatOf, type SamlSource, serviceProviderOf } from './saml-model.ts';

interface Reads {
  readonly query: Query;
  readonly world: ResourceWorld;
}

/**
 * The document with which an identity provider learns of this source (SAML metadata 2.0, section 2.4.4). Signed with a
 * signing pair.
 */
export async function metadataOf(source: SamlSource, publicUrl: string, reads: Reads): Promise<string> {
  const { entityId, consumerUrl, logoutUrl } = serviceProviderOf(source, publicUrl);
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
  const id = `_${hash('sha256', source.pk)}`;
  const write = (signature: Markup | null) =>
    xml('md:EntityDescriptor', { 'xmlns:md': metadataNamespace, ID: id, entityID: entityId }, signature, descriptor);
  const { markup } = await writeSigned({ id, write }, await signingKey(source, reads));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${markup}`;
}

async function keyDescriptor(
  use: 'signing' | 'encryption',
  key: string | null,
  { query, world }: Reads,
): Promise<Markup | null> {
  const pair = key === null ? null : await loadKeyPair(query, world, key);
  if (!pair) return null;
  return xml(
    'md:KeyDescriptor',
    { use },
    xml('ds:KeyInfo', { 'xmlns:ds': dsNamespace }, certificateMarkup(pair.certificate)),
    use === 'signing' ? null : acceptedEncryption.map((Algorithm) => xml('md:EncryptionMethod', { Algorithm })),
  );
}
