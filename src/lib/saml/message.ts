import { randomBytes } from 'node:crypto';
import { attributeOf, type XmlElement, XmlError } from '../xml/element.ts';
import { readXml } from '../xml/read-xml.ts';

/** Limits for anonymous XML. The cost of parsing and verifying grows with the number of elements. */
export const requestLimits = { maxLength: 64 * 1024, maxElements: 500 };

/** For messages with an assertion. Real ones stay below 100 kB even with many groups. */
export const responseLimits = { maxLength: 256 * 1024, maxElements: 5_000 };

/** A message was refused. The text is shown to the person whose browser brought it. */
export class SamlError extends Error {}

/** An unguessable ID that is a valid XML name. */
export const newMessageId = (): string => `_${randomBytes(20).toString('hex')}`;

/** A moment as SAML writes it: UTC, to the second. */
export const samlInstant = (moment: Date): string => `${moment.toISOString().slice(0, 19)}Z`;

/** A moment in milliseconds, whatever offset it was written with; null without the attribute. */
export function instantOf(element: XmlElement, name: string): number | null {
  const text = attributeOf(element, name);
  if (text === null) return null;
  const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (Number.isNaN(moment))
    throw new SamlError(`${element.local} has ${name} "${text}", which is not a date and time with a time zone.`);
  return moment;
}

/** Parses a message. XML errors become `SamlError`s. */
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
