import { brandTitle } from '../../core/brand/brand-title.ts';
import { defaultBranding } from '../../core/brand/branding.ts';
import { Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import { plainPage } from '../../platform/http/plain-page.ts';
import type { ServerOptions } from '../../platform/http/server.ts';

const words: Readonly<Record<number, readonly [title: string, text: string]>> = {
  404: ['Page not found', 'There is no page at this address.'],
  405: ['This cannot be done here', 'The address exists, but it does not take requests of this kind.'],
  413: ['Too much was sent', 'The server does not take a request of this size.'],
  500: [
    'Something went wrong',
    'The server met a fault. If it keeps happening, tell your administrator the request id.',
  ],
  503: [
    'Not available at the moment',
    'The server is busy, or cannot reach its database. Please try again in a moment.',
  ],
};

/** Error pages for browsers. Programs and API calls get JSON. */
export const createErrorPage =
  (query: Query, apiPrefix: string): NonNullable<ServerOptions['errorPage']> =>
  async (error, refusal, { id, path, host, header }) => {
    if (path.startsWith(`${apiPrefix}/`) || !/\btext\/html\b/i.test(header('accept') ?? '')) return null;
    const { status } = refusal;
    const reason = error instanceof Problem ? error.message : 'The server does not take this request.';
    const [title, text] = words[status] ?? ['This cannot be done', reason];
    // Where the server fails, the page must not depend on the database.
    const brand = status >= 500 ? defaultBranding.title : await titleOf(host, query);
    const page = plainPage({
      status,
      brand,
      title,
      paragraphs: [text, `Request id: ${id}`],
      link: { to: '/', text: 'Go to the start page' },
    });
    return { ...refusal, ...page, headers: { ...refusal.headers, ...page.headers } };
  };

const titleOf = (host: string, query: Query): Promise<string> =>
  brandTitle(host, query).catch(() => defaultBranding.title);
