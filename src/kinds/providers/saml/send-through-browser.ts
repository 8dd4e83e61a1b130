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
  /** Signs the address; what goes by POST carries its signature inside. */
  readonly key: SigningKey | null;
}

/** Has the browser bring a message to a service provider, at an address that its administrator has entered. */
export function sendThroughBrowser({ name, to, binding, message, relayState, key }: BrowserMessage): HttpResponse {
  if (!/^https?:\/\//i.test(to)) throw new Error('The provider has an address that is no web address.');
  if (binding === 'redirect') return redirectBrowser(redirectUrl(to, { name, message, relayState, key }));
  return autoForm(to, { [name]: encodePost(message), ...(relayState !== null && { RelayState: relayState }) });
}
