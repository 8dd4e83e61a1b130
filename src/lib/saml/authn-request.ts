import { type Markup, xml } from '../xml/write-xml.ts';
import { samlInstant } from './message.ts';
import { assertionNamespace, bindings, protocolNamespace } from './names.ts';

export interface OutgoingAuthnRequest {
  readonly id: string;
  readonly issuer: string;
  readonly destination: string;
  readonly consumerUrl: string;
  readonly nameIdFormat: string;
  readonly now: Date;
  /** ForceAuthn: whether the user must authenticate even if the identity provider has a session for them. */
  readonly forceAuthn?: boolean;
}

/** An AuthnRequest (SAML core, section 3.4.1). The response is always requested by POST. */
export const writeAuthnRequest = (about: OutgoingAuthnRequest): Markup =>
  xml(
    'samlp:AuthnRequest',
    {
      'xmlns:samlp': protocolNamespace,
      'xmlns:saml': assertionNamespace,
      ID: about.id,
      Version: '2.0',
      IssueInstant: samlInstant(about.now),
      Destination: about.destination,
      AssertionConsumerServiceURL: about.consumerUrl,
      ProtocolBinding: bindings.post,
      ...(about.forceAuthn && { ForceAuthn: 'true' }),
    },
    xml('saml:Issuer', {}, about.issuer),
    xml('samlp:NameIDPolicy', { Format: about.nameIdFormat, AllowCreate: 'true' }),
  );
