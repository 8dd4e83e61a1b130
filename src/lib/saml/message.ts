import { randomBytes } from 'node:crypto';
import { attributeOf, type XmlElement, XmlError } from '../xml/element.ts';
import { readXml } from '../xml/read-xml.ts';

/** What a stranger may send at once, as XML. Reading and verifying takes time by the number of elements, above all. */
export const requestLimits = { maxLength: 64 * 1024, maxElements: 500 };

/** For messages with an assertion. Real ones stay below 100 kB even with many groups. */
export const responseLimits = { maxLength: 256 * 1024, maxElements: 5_000 };

/** A message was refused. The text is shown to the person whose browser brought it. */
export class SamlError extends Error {}

/** An ID that nobody can guess and that XML takes as a name. */
export const newMessageId = (): string => `_${randomBytes(20).toString('hex')}`;

/** A moment as SAML writes it: UTC, to the second. */
export const samlInstant = (moment: Date): string => `${moment.toISOString().slice(0, 19)}Z`;

/** A moment in milliseconds, whatever offset it was written with; null when there is no such attribute. */
export function instantOf(element: XmlElement, name: string): number | null {
  const text = attributeOf(element, name);
  if (text === null) return null;
  const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (Number.isNaN(moment))
    throw new SamlError(`${element.local} has ${name} "${text}", which is no time in UTC or with an offset.`);
  return moment;
}

/** Reads a message. What is wrong with the XML is told in the same way as what is wrong with the message. */
export function readMessage(text: string, limits = requestLimits): XmlElement {
  return samlErrors(() => readXml(text, limits));
}

/** Runs what reads XML; its complaints become complaints about the message. */
export function samlErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof XmlError ? new SamlError(error.message) : error;
  }
}
