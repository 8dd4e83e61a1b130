import { pageFrame } from '../../../core/brand/language.ts';
import { brandFlows } from '../../../flow/brand-flows.ts';
import { flowPage } from '../../../flow/executor/challenge.ts';
import { plainPage } from '../../../platform/http/plain-page.ts';
import type { HttpAnswer } from '../../../platform/http/routes.ts';
import type { Call } from '../../../resource/call.ts';

export async function signedOutPage(
  call: Call,
  text: string,
  to: string,
  cookies: readonly string[] = [],
): Promise<HttpAnswer> {
  const page = plainPage({
    ...(await pageFrame(call)),
    title: 'Signed out',
    paragraphs: [text],
    link: { to, text: 'Continue' },
  });
  return cookies.length === 0 ? page : { ...page, headers: { ...page.headers, 'set-cookie': [...cookies] } };
}

/** Signing out takes a click: another site can send a browser here as it likes. */
export async function askPage(call: Call, name: string): Promise<HttpAnswer> {
  const { flow_invalidation } = await brandFlows(call.db, call.request.host);
  return plainPage({
    ...(await pageFrame(call)),
    title: 'Sign out?',
    paragraphs: [`You will be signed out here and, if you came from there, at ${name}.`],
    link: { to: flowPage(flow_invalidation ?? 'default-invalidation-flow'), text: 'Sign out' },
  });
}
