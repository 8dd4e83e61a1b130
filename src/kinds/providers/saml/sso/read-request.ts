import { clockSkewMs } from '../../../../lib/saml/header.ts';
import { SamlError } from '../../../../lib/saml/message.ts';
import { readAuthnRequest } from '../../../../lib/saml/read-authn-request.ts';
import type { IncomingMessage } from '../incoming-message.ts';
import type { ServiceProvider } from '../service-provider.ts';
import { samlPaths } from '../urls.ts';
import type { PendingRequest } from './pending-request.ts';

/** How old a request may be when it comes. What the person does afterwards may take longer. */
const maxAgeMs = 10 * 60_000;

/** Validates a request of a service provider. Throws `SamlError` with a message for the user. */
export function readRequest(
  incoming: IncomingMessage,
  provider: ServiceProvider,
  { publicUrl, now }: { readonly publicUrl: string; readonly now: string },
): PendingRequest {
  const message = provider.verification === null ? incoming.root : incoming.verified(provider.verification);
  const request = readAuthnRequest(message);
  checkDestination(request.destination, provider, publicUrl);
  checkIssueInstant(request.issueInstant, now);
  if (!isConsumerOf(provider, request)) {
    throw new SamlError(
      `ACS URL of ${request.consumerUrl?.slice(0, 500)} doesn't match Provider ACS URL of ${provider.acs_url}.`,
    );
  }
  return {
    provider: provider.pk,
    id: request.id.slice(0, 256),
    issuer: request.issuer?.slice(0, 256) ?? null,
    consumerUrl: request.consumerUrl,
    relayState: incoming.relayState,
    nameIdFormat: request.nameIdFormat,
    forceAuthn: request.forceAuthn,
    isPassive: request.isPassive,
    requestedContext: request.requestedContext,
    sentAt: null,
  };
}

/** Whether the AssertionConsumerServiceURL is the registered one (open redirect). Hosts are compared without case. */
export const isConsumerOf = (
  { acs_url }: Pick<ServiceProvider, 'acs_url'>,
  { consumerUrl }: Pick<PendingRequest, 'consumerUrl'>,
): boolean =>
  consumerUrl === null || consumerUrl === acs_url || (URL.parse(consumerUrl)?.href ?? '') === URL.parse(acs_url)?.href;

/** A message that was meant for another server, or for another application here, is not taken. */
export function checkDestination(
  destination: string | null,
  { application }: Pick<ServiceProvider, 'application'>,
  publicUrl: string,
): void {
  if (destination === null || destination === '') return;
  const own = Object.values(samlPaths(application.slug)).map((path) => `${publicUrl}${path}`);
  if (own.includes(destination) || own.includes(`${destination}/`)) return;
  throw new SamlError(`The message is for ${destination.slice(0, 500)}, which is not an address of this application.`);
}

export function checkIssueInstant(issueInstant: number, now: string): void {
  const age = Date.parse(now) - issueInstant;
  if (age > maxAgeMs + clockSkewMs)
    throw new SamlError('The message is too old. Go back to the application and try again.');
  if (age < -clockSkewMs) throw new SamlError('The message comes from the future: the clocks of the servers differ.');
}
