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
/** Distinct namespaces of a document: some programs declare the same two on every value. */
const maxNamespaces = 100;

interface OpenElement extends XmlElement {
  readonly children: (XmlElement | string)[];
}

/**
 * Parses untrusted XML. Strict: rejects documents that are not well-formed, document types (XXE), entity declarations
 * (entity expansion, "billion laughs") and processing instructions, which no protocol of ours needs.
 */
export function readXml(text: string, { maxLength, maxElements = mostElements }: XmlLimits): XmlElement {
  if (text.length > maxLength) throw new XmlError(`The XML document is longer than ${maxLength} characters.`);
  const open: OpenElement[] = [];
  let root: XmlElement | null = null;
  let elements = 0;
  let attributes = 0;
  const namespaces = new Set<string>();
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
  // Elements are counted as they are read, before the parser processes them (denial of service).
  parser.on('opentagstart', () => {
    elements += 1;
    attributes = 0;
    if (elements > maxElements) throw new XmlError(`The XML document has more than ${maxElements} elements.`);
    if (open.length === maxDepth) throw new XmlError(`The XML document is nested deeper than ${maxDepth} elements.`);
  });
  parser.on('attribute', ({ name, prefix, value }) => {
    attributes += 1;
    if (attributes > maxAttributes) throw new XmlError(`An element has more than ${maxAttributes} attributes.`);
    if (prefix !== 'xmlns' && name !== 'xmlns') return;
    namespaces.add(`${name} ${value}`);
    if (namespaces.size > maxNamespaces) {
      throw new XmlError(`The XML document declares more than ${maxNamespaces} namespaces.`);
    }
  });
  parser.on('opentag', (tag) => {
    const parent = open.at(-1);
    const element: OpenElement = {
      prefix: tag.prefix,
      local: tag.local,
      namespace: tag.uri,
      attributes: Object.values(tag.attributes).map(({ name, value }): XmlAttribute => ({ name, value })),
      children: [],
      scope:
        Object.keys(tag.ns).length > 0 ? { declared: tag.ns, outer: parent?.scope ?? null } : (parent?.scope ?? null),
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
