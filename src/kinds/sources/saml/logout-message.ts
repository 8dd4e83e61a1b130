import type { KeyObject } from 'node:crypto';
import { readForm } from '../../../lib/read-form.ts';
import { readMessage, SamlError, samlErrors } from '../../../lib/saml/message.ts';
import { decodePost } from '../../../lib/saml/post-binding.ts';
import { type MessageName, readRedirect } from '../../../lib/saml/redirect-binding.ts';
import type { XmlElement } from '../../../lib/xml/element.ts';
import { isSigned, verifySigned } from '../../../lib/xml/verify.ts';
import type { HttpCall } from '../../../platform/http/routes.ts';
import type { Binding } from './build-browser-message.ts';

/** A message about signing out, as it came. */
export interface IncomingLogout {
  readonly name: MessageName;
  readonly binding: Binding;
  readonly relayState: string | null;
  /** The verified message; throws if a signature is invalid, or missing where required. */
  message(keys: readonly KeyObject[], wanted: 'signed' | 'signed or not'): XmlElement;
}

const unsigned = 'The message is not signed.';
const badSignature = 'The signature of the message is not valid.';

/** The message of a request; null when it brings none. */
export function incomingLogout({ facts, raw, body }: HttpCall): IncomingLogout | null {
  if (facts.method === 'POST') return byForm(readForm(body));
  if (!facts.query.has('SAMLRequest') && !facts.query.has('SAMLResponse')) return null;
  const read = readRedirect((raw.url ?? '').split('?').slice(1).join('?'));
  return {
    name: read.name,
    binding: 'redirect',
    relayState: read.relayState,
    message(keys, wanted) {
      if (!read.isSigned && wanted === 'signed') throw new SamlError(unsigned);
      if (read.isSigned && !read.isSignedBy(keys)) throw new SamlError(badSignature);
      return readMessage(read.text);
    },
  };
}

function byForm(form: URLSearchParams): IncomingLogout | null {
  const values = (['SAMLRequest', 'SAMLResponse'] as const).flatMap((name) =>
    form.getAll(name).map((value) => ({ name, value })),
  );
  const [only, ...others] = values;
  if (!only) return null;
  if (others.length > 0) throw new SamlError('The form must have one of SAMLRequest and SAMLResponse.');
  return {
    name: only.name,
    binding: 'post',
    relayState: form.get('RelayState'),
    message(keys, wanted) {
      const received = readMessage(decodePost(only.value));
      if (isSigned(received)) return samlErrors(() => verifySigned(received, keys));
      if (wanted === 'signed') throw new SamlError(unsigned);
      return received;
    },
  };
}
