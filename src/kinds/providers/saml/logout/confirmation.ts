import { readLogoutResponse } from '../../../../lib/saml/logout.ts';
import { readMessage, requestLimits, SamlError } from '../../../../lib/saml/message.ts';
import { decodePost } from '../../../../lib/saml/post-binding.ts';
import { readRedirect } from '../../../../lib/saml/redirect-binding.ts';
import { isSuccess } from '../../../../lib/saml/status.ts';
import type { OutboundResponse } from '../../../../platform/fetch/guarded-fetch.ts';

/** Whether the page that a service provider would have shown to a browser contains a successful response. */
export function isConfirmed(answer: OutboundResponse): boolean {
  try {
    const message = answer.headers.location === undefined ? inForm(answer.text()) : inAddress(answer.headers.location);
    return isSuccess(readLogoutResponse(readMessage(message)).status);
  } catch (error) {
    if (error instanceof SamlError) return false;
    throw error;
  }
}

const inAddress = (location: string): string => readRedirect(location.slice(location.indexOf('?') + 1)).text;

function inForm(page: string): string {
  const input = page
    .slice(0, 2 * requestLimits.maxLength)
    .split('<')
    .find((tag) => tag.startsWith('input') && tag.includes('"SAMLResponse"'));
  return decodePost(/ value="([^"]*)"/.exec(input ?? '')?.[1] ?? '');
}
