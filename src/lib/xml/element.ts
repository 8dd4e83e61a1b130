/**
 * An element as plain data. Comments are gone and text around them is joined, so that no reader sees a part of a value.
 */
export interface XmlElement {
  readonly prefix: string;
  readonly local: string;
  readonly namespace: string;
  /** Attributes as written, namespace declarations included. */
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly (XmlElement | string)[];
  readonly scope: Scope | null;
}

/** Namespaces by prefix: those declared on one element, then those of the elements around it. */
export interface Scope {
  readonly declared: Readonly<Record<string, string>>;
  readonly outer: Scope | null;
}

export interface XmlAttribute {
  readonly name: string;
  readonly value: string;
}

/** The document is malformed or invalid. The message is meant for the administrator of the peer. */
export class XmlError extends Error {}

/** Every prefix that is declared on an element or around it, with its namespace. */
export function namespacesOf({ scope }: XmlElement): Map<string, string> {
  const scopes: Scope[] = [];
  for (let at = scope; at; at = at.outer) scopes.unshift(at);
  return new Map(scopes.flatMap(({ declared }) => Object.entries(declared)));
}

export const isElement = (node: XmlElement | string): node is XmlElement => typeof node !== 'string';

export const hasName = (element: XmlElement, namespace: string, local: string): boolean =>
  element.namespace === namespace && element.local === local;

/** The children of that name, never deeper descendants. */
export function childrenNamed(element: XmlElement, namespace: string, local: string): XmlElement[] {
  return element.children.filter(isElement).filter((child) => hasName(child, namespace, local));
}

/** The only child of that name; null if there is none. Throws if there are several. */
export function onlyChild(element: XmlElement, namespace: string, local: string): XmlElement | null {
  const found = childrenNamed(element, namespace, local);
  if (found.length > 1) throw new XmlError(`${element.local} has more than one ${local}.`);
  return found[0] ?? null;
}

/** The value of an attribute without a namespace. */
export function attributeOf(element: XmlElement, name: string): string | null {
  return element.attributes.find((attribute) => attribute.name === name)?.value ?? null;
}

/** Whether an attribute is true (XML Schema boolean). */
export const isTrue = (element: XmlElement, name: string): boolean =>
  ['true', '1'].includes(attributeOf(element, name) ?? '');

/** The whole text of an element, trimmed. An element that holds other elements has no text. */
export function textOf(element: XmlElement): string {
  if (element.children.some(isElement)) throw new XmlError(`${element.local} must hold text only.`);
  return element.children.join('').trim();
}

/** The element and everything below it, in document order. */
export function* descendants(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) if (isElement(child)) yield* descendants(child);
}
