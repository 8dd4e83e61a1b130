import { encodePost } from '../../../lib/saml/post-binding.ts';
import { type OutgoingRedirect, redirectUrl } from '../../../lib/saml/redirect-binding.ts';
import { type SigningKey, signXml } from '../../../lib/xml/sign.ts';
import type { RedirectTarget } from '../../../source/redirect-source.ts';
import type { SamlSource } from './saml-model.ts';

export type Binding = 'redirect' | 'post';

export const bindingOf = ({ binding_type }: SamlSource): Binding => (binding_type === 'REDIRECT' ? 'redirect' : 'post');

/** A message through the browser. A redirect signs the URL, a form the message itself. */
export function buildBrowserMessage(
  binding: Binding,
  to: string,
  { name, message, relayState, key }: Omit<OutgoingRedirect, 'key'> & { readonly key: SigningKey | null },
): RedirectTarget {
  if (binding === 'redirect') return redirectUrl(to, { name, message, relayState, key });
  const members = { [name]: encodePost(key ? signXml(message, key) : message) };
  return { action: to, members: relayState === null ? members : { ...members, RelayState: relayState } };
}
