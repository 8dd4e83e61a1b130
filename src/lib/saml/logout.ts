import { childrenNamed, onlyChild, textOf, type XmlElement } from '../xml/element.ts';
import { type Markup, xml } from '../xml/write-xml.ts';
import { type MessageHeader, readHeader } from './header.ts';
import { instantOf, SamlError, samlErrors, samlInstant } from './message.ts';
import { type NameId, readNameId, writeNameId } from './name-id.ts';
import { assertionNamespace, protocolNamespace } from './names.ts';
import { readStatus, type Status, writeStatus } from './status.ts';

/** A LogoutRequest (SAML core, section 3.7.1). */
export interface LogoutRequest extends MessageHeader {
  readonly nameId: NameId;
  /** Their sessions; none means all of them. */
  readonly sessionIndexes: readonly string[];
  readonly notOnOrAfter: number | null;
}

export interface LogoutResponse extends MessageHeader {
  readonly status: Status;
}

interface Outgoing {
  readonly id: string;
  readonly issuer: string;
  readonly destination: string;
  readonly now: Date;
}

const requestLifetimeMs = 5 * 60_000;

/** The start of a message that we send. Its issuer comes first, so that `signXml` can put the signature behind it. */
const envelope = (local: string, { id, issuer, destination, now }: Outgoing, more: Readonly<Record<string, string>>) =>
  [
    `samlp:${local}`,
    {
      'xmlns:samlp': protocolNamespace,
      'xmlns:saml': assertionNamespace,
      ID: id,
      Version: '2.0',
      IssueInstant: samlInstant(now),
      Destination: destination,
      ...more,
    },
    xml('saml:Issuer', {}, issuer),
  ] as const;

export function writeLogoutRequest(
  about: Outgoing & { readonly nameId: NameId; readonly sessionIndexes: readonly string[] },
): Markup {
  const until = new Date(about.now.getTime() + requestLifetimeMs);
  return xml(
    ...envelope('LogoutRequest', about, { NotOnOrAfter: samlInstant(until) }),
    writeNameId(about.nameId),
    about.sessionIndexes.map((index) => xml('samlp:SessionIndex', {}, index)),
  );
}

export const writeLogoutResponse = (
  about: Outgoing & { readonly inResponseTo: string; readonly code: string; readonly detail?: string },
): Markup =>
  xml(
    ...envelope('LogoutResponse', about, { InResponseTo: about.inResponseTo }),
    writeStatus(about.code, about.detail === undefined ? {} : { detail: about.detail }),
  );

/** Reads a request whose signature was verified. */
export function readLogoutRequest(message: XmlElement): LogoutRequest {
  return samlErrors(() => {
    const header = readHeader(message, 'LogoutRequest');
    const nameId = onlyChild(message, assertionNamespace, 'NameID');
    if (!nameId) throw new SamlError('The LogoutRequest has no NameID.');
    return {
      ...header,
      nameId: readNameId(nameId),
      sessionIndexes: childrenNamed(message, protocolNamespace, 'SessionIndex').map(textOf),
      notOnOrAfter: instantOf(message, 'NotOnOrAfter'),
    };
  });
}

export function readLogoutResponse(message: XmlElement): LogoutResponse {
  return { ...readHeader(message, 'LogoutResponse'), status: readStatus(message) };
}
