import { attributeOf, childrenNamed, isTrue, onlyChild, textOf, type XmlElement } from '../xml/element.ts';
import { type MessageHeader, readHeader } from './header.ts';
import { SamlError, samlErrors } from './message.ts';
import { assertionNamespace, protocolNamespace } from './names.ts';

export const comparisons = ['exact', 'minimum', 'maximum', 'better'] as const;

/** The requested authentication context. A type, since it is stored as JSON. */
export type RequestedContext = {
  readonly comparison: (typeof comparisons)[number];
  readonly classes: readonly string[];
};

/** An AuthnRequest (SAML core, section 3.4.1). */
export interface AuthnRequest extends MessageHeader {
  readonly consumerUrl: string | null;
  readonly nameIdFormat: string | null;
  readonly forceAuthn: boolean;
  readonly isPassive: boolean;
  readonly requestedContext: RequestedContext | null;
}

const maxClasses = 20;

/** Reads a request whose signature was verified, where one is demanded. */
export function readAuthnRequest(message: XmlElement): AuthnRequest {
  return samlErrors(() => {
    const [policy] = childrenNamed(message, protocolNamespace, 'NameIDPolicy');
    return {
      ...readHeader(message, 'AuthnRequest'),
      consumerUrl: attributeOf(message, 'AssertionConsumerServiceURL'),
      nameIdFormat: policy ? attributeOf(policy, 'Format') : null,
      forceAuthn: isTrue(message, 'ForceAuthn'),
      isPassive: isTrue(message, 'IsPassive'),
      requestedContext: requestedContextOf(message),
    };
  });
}

function requestedContextOf(message: XmlElement): RequestedContext | null {
  const element = onlyChild(message, protocolNamespace, 'RequestedAuthnContext');
  if (!element) return null;
  const given = attributeOf(element, 'Comparison') ?? 'exact';
  const comparison = comparisons.find((known) => known === given);
  if (!comparison) throw new SamlError(`RequestedAuthnContext has the Comparison "${given}", which there is not.`);
  const classes = childrenNamed(element, assertionNamespace, 'AuthnContextClassRef').map(textOf);
  if (classes.length > maxClasses) throw new SamlError('RequestedAuthnContext names too many classes.');
  return classes.length === 0 ? null : { comparison, classes };
}
