import { SaxesParser } from 'saxes';
import { type XmlAttribute, type XmlElement, XmlError } from './element.ts';

export interface XmlLimits {
  /** In UTF-16 code units, checked before anything is parsed. */
  readonly maxLength: number;
  readonly maxElements?: number;
}

const maxDepth = 64;
const mostElements = 20_000;
const maxAttributes = 64;

interface OpenElement extends XmlElement {
  readonly children: (XmlElement | string)[];
}

/**
 * Reads a document from somebody we do not trust. Strict: what is not well-formed is refused, and so are document types,
 * entities of their own and processing instructions, which no protocol of ours needs.
 */
export function readXml(text: string, { maxLength, maxElements = mostElements }: XmlLimits): XmlElement {
  if (text.length > maxLength) throw new XmlError(`The XML document is longer than ${maxLength} characters.`);
  const open: OpenElement[] = [];
  let root: XmlElement | null = null;
  let elements = 0;
  const parser = new SaxesParser({ xmlns: true, position: false });
  const append = (content: string) => void open.at(-1)?.children.push(content);

  parser.on('error', (error) => {
    throw new XmlError(`The XML document is not well-formed: ${error.message}`);
  });
  parser.on('doctype', () => {
    throw new XmlError('The XML document has a document type, which is not accepted.');
  });
  parser.on('processinginstruction', () => {
    throw new XmlError('The XML document has a processing instruction, which is not accepted.');
  });
  parser.on('opentag', (tag) => {
    elements += 1;
    if (elements > maxElements) throw new XmlError(`The XML document has more than ${maxElements} elements.`);
    if (open.length === maxDepth) throw new XmlError(`The XML document is nested deeper than ${maxDepth} elements.`);
    const attributes: XmlAttribute[] = Object.values(tag.attributes).map(({ name, value }) => ({ name, value }));
    if (attributes.length > maxAttributes)
      throw new XmlError(`${tag.local} has more than ${maxAttributes} attributes.`);
    const parent = open.at(-1);
    const element: OpenElement = {
      prefix: tag.prefix,
      local: tag.local,
      namespace: tag.uri,
      attributes,
      children: [],
      scope: Object.keys(tag.ns).length > 0 ? { ...parent?.scope, ...tag.ns } : (parent?.scope ?? {}),
    };
    if (parent) parent.children.push(element);
    else root = element;
    open.push(element);
  });
  parser.on('closetag', () => void open.pop());
  parser.on('text', append);
  parser.on('cdata', append);
  parser.write(text).close();
  if (!root) throw new XmlError('The XML document is empty.');
  return root;
}
