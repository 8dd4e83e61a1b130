import { attributeOf, textOf, type XmlElement } from '../xml/element.ts';
import { type Markup, xml } from '../xml/write-xml.ts';
import { nameIdFormats } from './names.ts';

/** Whom a message is about. A type, since it is stored as JSON. */
export type NameId = {
  readonly value: string;
  readonly format: string;
  /** Who gave the name, and to whom; both sides must repeat them as they are. */
  readonly qualifier: string | null;
  readonly spQualifier: string | null;
};

export const readNameId = (element: XmlElement): NameId => ({
  value: textOf(element),
  format: attributeOf(element, 'Format') ?? nameIdFormats.unspecified,
  qualifier: attributeOf(element, 'NameQualifier'),
  spQualifier: attributeOf(element, 'SPNameQualifier'),
});

export const writeNameId = ({ value, format, qualifier, spQualifier }: NameId): Markup =>
  xml('saml:NameID', { Format: format, NameQualifier: qualifier, SPNameQualifier: spQualifier }, value);
