import { isElement, namespacesOf, type XmlElement, XmlError } from '../xml/element.ts';
import { type DecryptWith, decryptXml } from '../xml/encrypt.ts';
import { readXml } from '../xml/read-xml.ts';
import { xml } from '../xml/write-xml.ts';
import { responseLimits } from './message.ts';

/** The one element inside an encrypted one. It may use prefixes that were declared around the ciphertext. */
export async function openEncrypted(encrypted: XmlElement, how: DecryptWith): Promise<XmlElement> {
  const markup = (await decryptXml(encrypted, how)).replace(/^\s*<\?xml\b[^>]*\?>/, '');
  const scope = [...namespacesOf(encrypted)].map(([prefix, uri]) => [prefix === '' ? 'xmlns' : `xmlns:${prefix}`, uri]);
  const opened = readXml(xml('opened', Object.fromEntries(scope), { markup }).markup, {
    ...responseLimits,
  });
  const [element, ...others] = opened.children.filter((child) => isElement(child) || child.trim() !== '');
  if (element === undefined || !isElement(element) || others.length > 0) {
    throw new XmlError('The encrypted content is not one element.');
  }
  return element;
}
