import { newMessageId, samlInstant } from '../../../../lib/saml/message.ts';
import { writeNameId } from '../../../../lib/saml/name-id.ts';
import { assertionNamespace, bearerConfirmation, protocolNamespace, statusCodes } from '../../../../lib/saml/names.ts';
import { writeStatus } from '../../../../lib/saml/status.ts';
import { encryptXml } from '../../../../lib/xml/encrypt.ts';
import { type SigningKey, signXml } from '../../../../lib/xml/sign.ts';
import { writeSigned } from '../../../../lib/xml/write-signed.ts';
import { type Markup, xml } from '../../../../lib/xml/write-xml.ts';
import { addMilliseconds, fromTimestamp, toTimestamp } from '../../../../platform/clock.ts';
import type { Attribute } from '../attributes.ts';
import type { NameId } from '../name-id.ts';
import type { ServiceProvider } from '../service-provider.ts';

/** The values in every response. */
export interface ResponseFrame {
  readonly issuer: string;
  /** The address that it goes to. */
  readonly acs: string;
  /** InResponseTo; null for an unsolicited response. */
  readonly inResponseTo: string | null;
  readonly now: Date;
}

/** The contents of an assertion. Times are in milliseconds from now. */
export interface AssertionData extends ResponseFrame {
  readonly nameId: NameId;
  readonly sessionIndex: string;
  readonly attributes: readonly Attribute[];
  readonly audience: string;
  readonly authnContext: string;
  readonly signedInAt: Date;
  readonly notBeforeMs: number;
  readonly notOnOrAfterMs: number;
  readonly sessionMs: number;
}

type Sealing = Pick<ServiceProvider, 'sign_assertion' | 'sign_response' | 'encryption' | 'encryption_algorithm'>;

/** A successful response: the assertion is signed, then encrypted, then the response is signed. */
export async function writeSuccess(data: AssertionData, sealing: Sealing, key: SigningKey | null): Promise<Markup> {
  const assertion = await writeSigned(assertionOf(data), sealing.sign_assertion ? key : null);
  const responseKey = sealing.sign_response ? key : null;
  if (sealing.encryption === null) return writeSigned(responseOf(data, success, assertion), responseKey);
  const encrypted = await encryptXml(assertion, sealing.encryption, sealing.encryption_algorithm);
  const content = xml('saml:EncryptedAssertion', { 'xmlns:saml': assertionNamespace }, encrypted);
  const response = responseOf(data, success, content).write(null);
  // The library that encrypts does not write canonical XML, so this has to be parsed to be signed.
  return responseKey ? signXml(response, responseKey) : response;
}

/** A response with an error status. */
export const writeFailure = (
  frame: ResponseFrame,
  { code, detail, message }: { readonly code: string; readonly detail: string; readonly message: string },
  key: SigningKey | null,
): Promise<Markup> => writeSigned(responseOf(frame, writeStatus(code, { detail, message }), null), key);

const success = writeStatus(statusCodes.success);

function responseOf({ issuer, acs, inResponseTo, now }: ResponseFrame, status: Markup, content: Markup | null) {
  const id = newMessageId();
  const attributes = {
    'xmlns:samlp': protocolNamespace,
    ID: id,
    Version: '2.0',
    IssueInstant: samlInstant(now),
    Destination: acs,
    InResponseTo: inResponseTo,
  };
  const write = (signature: Markup | null) =>
    xml('samlp:Response', attributes, issuerMarkup(issuer), signature, status, content);
  return { id, write };
}

const issuerMarkup = (issuer: string) => xml('saml:Issuer', { 'xmlns:saml': assertionNamespace }, issuer);

function assertionOf(data: AssertionData) {
  const id = newMessageId();
  const { now, inResponseTo, acs } = data;
  const after = (ms: number) => samlInstant(fromTimestamp(addMilliseconds(toTimestamp(now), ms)));
  const NotOnOrAfter = after(data.notOnOrAfterMs);
  const attributes = { 'xmlns:saml': assertionNamespace, ID: id, Version: '2.0', IssueInstant: samlInstant(now) };
  const content = [
    xml(
      'saml:Subject',
      {},
      writeNameId({ ...data.nameId, qualifier: null, spQualifier: null }),
      xml(
        'saml:SubjectConfirmation',
        { Method: bearerConfirmation },
        xml('saml:SubjectConfirmationData', { InResponseTo: inResponseTo, NotOnOrAfter, Recipient: acs }),
      ),
    ),
    xml(
      'saml:Conditions',
      { NotBefore: after(data.notBeforeMs), NotOnOrAfter },
      data.audience === '' ? null : xml('saml:AudienceRestriction', {}, xml('saml:Audience', {}, data.audience)),
    ),
    xml(
      'saml:AuthnStatement',
      {
        AuthnInstant: samlInstant(data.signedInAt),
        SessionIndex: data.sessionIndex,
        SessionNotOnOrAfter: after(data.sessionMs),
      },
      xml('saml:AuthnContext', {}, xml('saml:AuthnContextClassRef', {}, data.authnContext)),
    ),
    data.attributes.length === 0 ? null : xml('saml:AttributeStatement', {}, data.attributes.map(attributeMarkup)),
  ];
  const write = (signature: Markup | null) =>
    xml('saml:Assertion', attributes, xml('saml:Issuer', {}, data.issuer), signature, content);
  return { id, write };
}

/** SAML Core §8.2.2: service providers such as Shibboleth look names up together with their format. */
const uriNameFormat = 'urn:oasis:names:tc:SAML:2.0:attrname-format:uri';

const attributeMarkup = ({ name, friendlyName, values }: Attribute): Markup =>
  xml(
    'saml:Attribute',
    { Name: name, NameFormat: URL.canParse(name) ? uriNameFormat : null, FriendlyName: friendlyName },
    values.map((value) => xml('saml:AttributeValue', {}, value)),
  );
