import { readMessage, SamlError, samlErrors } from '../../../../lib/saml/message.ts';
import { hasName, isElement, onlyChild, type XmlElement } from '../../../../lib/xml/element.ts';
import { type Markup, xml } from '../../../../lib/xml/write-xml.ts';

const soapNamespace = 'http://schemas.xmlsoap.org/soap/envelope/';

export const soapHeaders = {
  'content-type': 'text/xml; charset=utf-8',
  soapaction: '"http://www.oasis-open.org/committees/security"',
};

/** A message for the SOAP binding (SAML bindings, section 3.2). */
export const soapEnvelope = (message: Markup): string =>
  xml('soap:Envelope', { 'xmlns:soap': soapNamespace }, xml('soap:Body', {}, message)).markup;

/** The message inside an envelope. */
export function readEnvelope(text: string): XmlElement {
  return samlErrors(() => {
    const root = readMessage(text);
    const body = hasName(root, soapNamespace, 'Envelope') ? onlyChild(root, soapNamespace, 'Body') : null;
    const [message, another] = body?.children.filter(isElement) ?? [];
    if (!message || another) throw new SamlError('The SOAP envelope must hold one message.');
    return message;
  });
}
