import { encodePost } from '../../../lib/saml/post-binding.ts';
import { type MessageName, redirectUrl } from '../../../lib/saml/redirect-binding.ts';
import type { SigningKey } from '../../../lib/xml/sign.ts';
import type { Markup } from '../../../lib/xml/write-xml.ts';
import { autoForm } from '../../../platform/http/auto-form.ts';
import type { HttpResponse } from '../../../platform/http/routes.ts';
import { redirectBrowser } from '../../../provider/browser-responses.ts';

interface BrowserMessage {
  readonly name: MessageName;
  readonly to: string;
  readonly binding: 'redirect' | 'post';
  readonly message: Markup;
  readonly relayState: string | null;
  /** Signs the URL; POST messages contain their signature. */
  readonly key: SigningKey | null;
}

/** Sends a message to a service provider through the browser, at its configured URL. */
export function sendThroughBrowser({ name, to, binding, message, relayState, key }: BrowserMessage): HttpResponse {
  if (!/^https?:\/\//i.test(to)) throw new Error('The URL of the provider is not an HTTP or HTTPS URL.');
  if (binding === 'redirect') return redirectBrowser(redirectUrl(to, { name, message, relayState, key }));
  return autoForm(to, { [name]: encodePost(message), ...(relayState !== null && { RelayState: relayState }) });
}
