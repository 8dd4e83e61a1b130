import { defaultBranding } from '../../core/brand/branding.ts';
import { pageFrame } from '../../core/brand/page-frame.ts';
import { actorOfSession, type SessionNeeds } from '../../core/session/session-credential.ts';
import { Problem } from '../../lib/problem.ts';
import { chooseLanguage } from '../../lib/texts/languages.ts';
import { message } from '../../lib/texts/message.ts';
import type { Text } from '../../lib/texts/translate.ts';
import type { Clock } from '../../platform/clock.ts';
import { plainPage } from '../../platform/http/plain-page.ts';
import type { RequestFacts } from '../../platform/http/request-facts.ts';
import type { ServerOptions } from '../../platform/http/server.ts';

const words: Readonly<Record<number, readonly [title: Text, text: Text]>> = {
  404: ['Page not found', 'There is no page at this address.'],
  405: ['This cannot be done here', 'The address exists, but it does not take requests of this kind.'],
  413: ['Request too large', 'The request is too large.'],
  500: [
    'Something went wrong',
    'An error occurred on the server. If it keeps happening, send the request id to your administrator.',
  ],
  503: [
    'Not available at the moment',
    'The server is busy, or cannot reach its database. Please try again in a moment.',
  ],
};

type ErrorPageNeeds = SessionNeeds & { readonly clock: Clock; readonly publicUrl: string };

/** Error pages for browsers. Programs and API calls get JSON. */
export const createErrorPage =
  (needs: ErrorPageNeeds, apiPrefix: string): NonNullable<ServerOptions['errorPage']> =>
  async (error, refusal, facts) => {
    const { id, path, header } = facts;
    if (path.startsWith(`${apiPrefix}/`) || !/\btext\/html\b/i.test(header('accept') ?? '')) return null;
    const { status } = refusal;
    const reason = error instanceof Problem ? error.words : 'The server does not accept this request.';
    const [title, text] = words[status] ?? ['The request was refused', reason];
    const plain = { brand: defaultBranding.title, language: chooseLanguage([], header('accept-language')) };
    const page = plainPage({
      // Where the server fails, the page must not depend on the database.
      ...(status >= 500 ? plain : await frameOf(needs, facts).catch(() => plain)),
      status,
      title,
      paragraphs: [text, message('Request id: {id}', { id })],
      link: { to: '/', text: 'Go to the start page' },
    });
    return { ...refusal, ...page, headers: { ...refusal.headers, ...page.headers } };
  };

async function frameOf(needs: ErrorPageNeeds, request: RequestFacts) {
  const actor = await actorOfSession(needs, { ...request, method: 'GET' }, needs.clock.now());
  const world = { publicHost: new URL(needs.publicUrl).hostname };
  return pageFrame({ actor, request, db: needs.db, world });
}
