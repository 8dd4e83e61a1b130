import { pageFrame } from '../../../core/brand/page-frame.ts';
import { brandFlows } from '../../../flow/brand-flows.ts';
import { flowPage } from '../../../flow/executor/challenge.ts';
import type { UserText } from '../../../lib/texts/message.ts';
import { plainPage } from '../../../platform/http/plain-page.ts';
import type { HttpResponse } from '../../../platform/http/routes.ts';
import type { Call } from '../../../resource/call.ts';

export async function signedOutPage(
  call: Call,
  text: UserText,
  to: string,
  cookies: readonly string[] = [],
): Promise<HttpResponse> {
  const page = plainPage({
    ...(await pageFrame(call)),
    title: 'Signed out',
    paragraphs: [text],
    link: { to, text: 'Continue' },
  });
  return cookies.length === 0 ? page : { ...page, headers: { ...page.headers, 'set-cookie': [...cookies] } };
}

/** The sign-out page, with a confirmation: other sites can send a browser here (CSRF). */
export async function signOutPage(call: Call): Promise<string> {
  const { flow_invalidation } = await brandFlows(call.db, call.request.host);
  return flowPage(flow_invalidation ?? 'default-invalidation-flow');
}
