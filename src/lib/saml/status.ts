import { attributeOf, onlyChild, textOf, type XmlElement } from '../xml/element.ts';
import { type Markup, xml } from '../xml/write-xml.ts';
import { samlErrors } from './message.ts';
import { protocolNamespace, statusCodes } from './names.ts';

/** The status of a response: the top-level code and the second-level code. */
export interface Status {
  readonly code: string;
  readonly detail: string | null;
  readonly message: string | null;
}

export const isSuccess = ({ code }: Status): boolean => code === statusCodes.success;

/** The status of a response; one without counts as failed. */
export function readStatus(response: XmlElement): Status {
  return samlErrors(() => {
    const status = onlyChild(response, protocolNamespace, 'Status');
    const first = status && onlyChild(status, protocolNamespace, 'StatusCode');
    const second = first && onlyChild(first, protocolNamespace, 'StatusCode');
    const message = status && onlyChild(status, protocolNamespace, 'StatusMessage');
    return {
      code: (first && attributeOf(first, 'Value')) ?? '',
      detail: second && attributeOf(second, 'Value'),
      message: message && (textOf(message).slice(0, 500) || null),
    };
  });
}

/** Why a request failed: the StatusMessage if the response is authenticated, else the name of the status code. */
export function wordsOfStatus({ code, detail, message }: Status, isVerified: boolean): string {
  if (message !== null && isVerified) return message;
  const name = (detail ?? code).slice(-60).split(/\W/).at(-1) || 'missing';
  return `SAML Status: ${name}`;
}

export function writeStatus(code: string, { detail, message }: { detail?: string; message?: string } = {}): Markup {
  return xml(
    'samlp:Status',
    {},
    xml('samlp:StatusCode', { Value: code }, detail ? xml('samlp:StatusCode', { Value: detail }) : null),
    message ? xml('samlp:StatusMessage', {}, message) : null,
  );
}
