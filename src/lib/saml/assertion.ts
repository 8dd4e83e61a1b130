import { attributeOf, childrenNamed, isElement, onlyChild, textOf, type XmlElement } from '../xml/element.ts';
import { isWithin, type MessageHeader } from './header.ts';
import { instantOf, SamlError, samlErrors } from './message.ts';
import { type NameId, readNameId } from './name-id.ts';
import { assertionNamespace, bearerConfirmation } from './names.ts';

export interface AssertionRules {
  readonly now: number;
  /** The entity ID of the identity provider; null if unknown. */
  readonly issuer: string | null;
  /** Our entity ID, and the address at which responses are received. */
  readonly audience: string;
  readonly consumerUrl: string;
  /** Attributes of the response that contains the assertion. */
  readonly response: MessageHeader;
}

/** The subject of a verified assertion. */
export interface SignedIn {
  readonly assertionId: string;
  /** The request that was answered; null when there was none. */
  readonly inResponseTo: string | null;
  readonly nameId: NameId;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
  /** Names their session with the identity provider. */
  readonly sessionIndex: string | null;
  /** When they last authenticated there, in milliseconds. */
  readonly authenticatedAt: number | null;
  /** After this moment the assertion is refused anyway. */
  readonly validUntil: number;
}

const expired = 'Assertion is not valid yet or expired.';
const mismatched = 'Mismatched request ID';

/** Checks and reads an assertion that was verified (SAML profiles, section 4.1.4.3). */
export function readAssertion(assertion: XmlElement, rules: AssertionRules): SignedIn {
  return samlErrors(() => {
    const id = attributeOf(assertion, 'ID');
    if (!id || attributeOf(assertion, 'Version') !== '2.0') throw new SamlError('The assertion is not of SAML 2.0.');
    checkIssuer(assertion, rules);
    const subject = child(assertion, 'Subject');
    if (!subject) throw new SamlError('Subject element not found');
    const nameId = child(subject, 'NameID');
    if (!nameId) throw new SamlError('NameID element not found');
    const confirmed = confirmationOf(subject, rules);
    checkConditions(assertion, rules);
    return {
      assertionId: id,
      inResponseTo: confirmed.inResponseTo,
      nameId: readNameId(nameId),
      attributes: attributesOf(assertion),
      ...sessionOf(assertion, rules),
      validUntil: confirmed.notOnOrAfter,
    };
  });
}

const child = (element: XmlElement, local: string) => onlyChild(element, assertionNamespace, local);
const children = (element: XmlElement, local: string) => childrenNamed(element, assertionNamespace, local);

function checkIssuer(assertion: XmlElement, { issuer, response }: AssertionRules): void {
  const element = child(assertion, 'Issuer');
  const own = element && textOf(element);
  if (!own) throw new SamlError('The assertion names no Issuer.');
  if ((issuer !== null && own !== issuer) || (response.issuer !== null && response.issuer !== own)) {
    throw new SamlError(`The assertion was issued by another identity provider (Issuer "${own}").`);
  }
}

/** The bearer confirmation, with recipient, expiry and InResponseTo. */
function confirmationOf(subject: XmlElement, { now, consumerUrl, response }: AssertionRules) {
  const data = children(subject, 'SubjectConfirmation')
    .filter((element) => attributeOf(element, 'Method') === bearerConfirmation)
    .flatMap((element) => children(element, 'SubjectConfirmationData'));
  if (data.length === 0) throw new SamlError('The assertion has no confirmation that its bearer may use it.');
  const addressed = data.filter((element) => attributeOf(element, 'Recipient') === consumerUrl);
  if (addressed.length === 0) throw new SamlError('The assertion is for another receiver (Recipient).');
  for (const element of addressed) {
    const notOnOrAfter = instantOf(element, 'NotOnOrAfter');
    if (notOnOrAfter === null || !isWithin(now, instantOf(element, 'NotBefore'), notOnOrAfter)) continue;
    const inResponseTo = attributeOf(element, 'InResponseTo');
    if (inResponseTo !== response.inResponseTo) throw new SamlError(mismatched);
    return { inResponseTo, notOnOrAfter };
  }
  throw new SamlError(expired);
}

const knownConditions = new Set(['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction']);

function checkConditions(assertion: XmlElement, { now, audience }: AssertionRules): void {
  const conditions = child(assertion, 'Conditions');
  if (!conditions) throw new SamlError('The assertion has no Conditions, and so no audience.');
  if (!isWithin(now, instantOf(conditions, 'NotBefore'), instantOf(conditions, 'NotOnOrAfter'))) {
    throw new SamlError(expired);
  }
  // A condition that is not understood is not met (SAML core, section 2.5.1.1).
  const unknown = conditions.children
    .filter(isElement)
    .find(({ namespace, local }) => namespace !== assertionNamespace || !knownConditions.has(local));
  if (unknown) throw new SamlError(`The assertion has a condition that is not understood: ${unknown.local}.`);
  const restrictions = children(conditions, 'AudienceRestriction');
  const isOurs = (restriction: XmlElement) =>
    children(restriction, 'Audience').some((element) => textOf(element) === audience);
  if (restrictions.length === 0 || !restrictions.every(isOurs)) {
    throw new SamlError(`The assertion is for another audience; we are "${audience}".`);
  }
}

function sessionOf(assertion: XmlElement, { now }: AssertionRules): Pick<SignedIn, 'sessionIndex' | 'authenticatedAt'> {
  const statements = children(assertion, 'AuthnStatement');
  if (statements.length === 0) throw new SamlError('The assertion has no AuthnStatement.');
  for (const statement of statements) {
    if (!isWithin(now, null, instantOf(statement, 'SessionNotOnOrAfter'))) throw new SamlError(expired);
  }
  const instants = statements.map((statement) => instantOf(statement, 'AuthnInstant')).filter((at) => at !== null);
  return {
    sessionIndex:
      statements.map((statement) => attributeOf(statement, 'SessionIndex')).find((index) => index !== null) ?? null,
    authenticatedAt: instants.length === 0 ? null : Math.max(...instants),
  };
}

/** By name, with all their values. An assertion may have none. */
function attributesOf(assertion: XmlElement): Record<string, string[]> {
  const all = new Map<string, string[]>();
  for (const statement of children(assertion, 'AttributeStatement')) {
    for (const attribute of children(statement, 'Attribute')) {
      const name = attributeOf(attribute, 'Name');
      if (!name || name === '__proto__') continue;
      const values = children(attribute, 'AttributeValue').flatMap(textsIn);
      all.set(name, [...(all.get(name) ?? []), ...values]);
    }
  }
  return Object.fromEntries(all);
}

/** Text, or the text of the one element inside, as in a NameID that is the value of an attribute. */
function textsIn(element: XmlElement): string[] {
  const [inner, ...others] = element.children.filter(isElement);
  if (!inner) return [textOf(element)];
  return others.length === 0 && !inner.children.some(isElement) ? [textOf(inner)] : [];
}
