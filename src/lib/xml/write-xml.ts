import { isElement, namespacesOf, type XmlElement } from './element.ts';

/** Escaped markup. */
export interface Markup {
  readonly markup: string;
}

type Content = Markup | string | null | readonly Content[];
type Attributes = Readonly<Record<string, string | null>>;

/**
 * An element with what is in it. Attributes and children that are null are left out. The markup is in canonical form,
 * as long as each namespace is declared on the outermost elements that use it: such markup can be signed as it is.
 */
export function xml(name: string, attributes: Attributes, ...content: readonly Content[]): Markup {
  const sorted = Object.entries(attributes).sort(([one], [other]) => rank(one) - rank(other) || (one < other ? -1 : 1));
  return { markup: `<${name}${attributesMarkup(sorted)}>${contentMarkup(content)}</${name}>` };
}

/** Namespaces come before attributes. */
const rank = (name: string): number => (name.startsWith('xmlns') ? 0 : 1);

function contentMarkup(content: Content): string {
  if (content === null) return '';
  if (typeof content === 'string') return escapeText(content);
  if ('markup' in content) return content.markup;
  return content.map(contentMarkup).join('');
}

function attributesMarkup(attributes: readonly (readonly [string, string | null])[]): string {
  return attributes.map(([name, value]) => (value === null ? '' : ` ${name}="${escapeAttribute(value)}"`)).join('');
}

/** The element as a document of its own: namespaces that it inherits are declared on it. */
export function standaloneXml(element: XmlElement): string {
  const declared = new Set(element.attributes.map(({ name }) => name));
  const inherited = [...namespacesOf(element)]
    .map(([prefix, uri]) => [prefix === '' ? 'xmlns' : `xmlns:${prefix}`, uri] as const)
    .filter(([name]) => !declared.has(name));
  return elementMarkup(element, inherited);
}

function elementMarkup(element: XmlElement, further: readonly (readonly [string, string])[] = []): string {
  const name = element.prefix === '' ? element.local : `${element.prefix}:${element.local}`;
  const own = element.attributes.map((attribute) => [attribute.name, attribute.value] as const);
  const inside = element.children
    .map((child) => (isElement(child) ? elementMarkup(child) : escapeText(child)))
    .join('');
  return `<${name}${attributesMarkup([...further, ...own])}>${inside}</${name}>`;
}

const textEscapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#xD;' };
// A `>` stays as it is in the canonical form.
const attributeEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '\r': '&#xD;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
};
// Characters that no XML document can hold, escaped or not.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to drop
const unwritable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const escapeText = (text: string) =>
  text
    .toWellFormed()
    .replace(unwritable, '')
    .replace(/[&<>\r]/g, (character) => textEscapes[character] ?? '');
const escapeAttribute = (text: string) =>
  text
    .toWellFormed()
    .replace(unwritable, '')
    .replace(/[&<"\t\n\r]/g, (character) => attributeEscapes[character] ?? '');
