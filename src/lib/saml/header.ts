import { withArticle } from '../nouns.ts';
import { attributeOf, hasName, onlyChild, textOf, type XmlElement } from '../xml/element.ts';
import { instantOf, SamlError, samlErrors } from './message.ts';
import { assertionNamespace, protocolNamespace } from './names.ts';

/** The attributes and elements that all protocol messages share (SAML core, section 3.2). */
export interface MessageHeader {
  readonly id: string;
  readonly issueInstant: number;
  readonly issuer: string | null;
  readonly destination: string | null;
  /** InResponseTo: the request of a response; an unsolicited response has none. */
  readonly inResponseTo: string | null;
}

/** Reads the header of a message that must have this name. */
export function readHeader(message: XmlElement, local: string): MessageHeader {
  return samlErrors(() => {
    if (!hasName(message, protocolNamespace, local)) {
      throw new SamlError(`The message is ${withArticle(message.local)}, not ${withArticle(local)} of SAML 2.0.`);
    }
    if (attributeOf(message, 'Version') !== '2.0') throw new SamlError(`The ${local} is not of version 2.0.`);
    const id = attributeOf(message, 'ID');
    const issueInstant = instantOf(message, 'IssueInstant');
    if (!id || issueInstant === null) throw new SamlError(`The ${local} has no ID or no IssueInstant.`);
    const issuer = onlyChild(message, assertionNamespace, 'Issuer');
    return {
      id,
      issueInstant,
      issuer: issuer && textOf(issuer),
      destination: attributeOf(message, 'Destination'),
      inResponseTo: attributeOf(message, 'InResponseTo'),
    };
  });
}

/** Allowed clock skew between two servers. */
export const clockSkewMs = 60_000;

/** Whether now lies between the two, either of which may be open. */
export const isWithin = (now: number, notBefore: number | null, notOnOrAfter: number | null): boolean =>
  (notBefore === null || now >= notBefore - clockSkewMs) && (notOnOrAfter === null || now < notOnOrAfter + clockSkewMs);
