import { defaultBranding } from '../../core/brand/branding.ts';
import { hasOwnLanguage, languageOf } from '../../core/brand/language.ts';
import { actorOfSession, type SessionNeeds } from '../../core/session/session-credential.ts';
import { currentBrand } from '../../flow/current-brand.ts';
import { mergedNeeds, type PageNeeds } from '../../flow/page-needs.ts';
import { ownPath } from '../../lib/own-path.ts';
import { type Language, languages } from '../../lib/texts/languages.ts';
import type { Clock } from '../../platform/clock.ts';
import { serveFolder } from '../../platform/http/files.ts';
import { plainPage } from '../../platform/http/plain-page.ts';
import type { RequestFacts } from '../../platform/http/request-facts.ts';
import type { HttpResponse, Routes } from '../../platform/http/routes.ts';
import { stayingInWindow } from '../../platform/http/security-headers.ts';
import type { Log } from '../../platform/log.ts';
import type { Actor } from '../../resource/access/actor.ts';
import { authenticatePath } from '../../resource/access/recent-authentication.ts';
import { flowTriedAt, needsOfFlowPage, type PageKinds, signInPath, tryingFlow } from './flow-pages.ts';
import { findBuiltPages } from './page-files.ts';
import { assetPrefix, type Framing, pagePolicy, pageShell } from './shell.ts';

interface Showing {
  readonly foreign?: Required<PageNeeds>;
  readonly language?: Language;
  readonly framing?: Framing;
}

interface MountPagesNeeds extends SessionNeeds {
  readonly clock: Clock;
  readonly log: Log;
  readonly kinds: PageKinds;
  readonly publicUrl: string;
}

const accountPath = '/if/user/';
const nothingForeign = mergedNeeds([]);
const notStored = { 'cache-control': 'no-store' };
/** The names of scripts and styles change with their contents. */
const forEver = 'public, max-age=31536000, immutable';

/** The pages of users: flows for all visitors, account pages for signed-in users. */
export function mountPages(routes: Routes, needs: MountPagesNeeds, built = findBuiltPages()): void {
  const { db, settings, publicUrl } = needs;
  const publicHost = new URL(publicUrl).hostname;
  if (built) routes.on(['GET'], `${assetPrefix}*`, serveFolder(built.folder, forEver));
  else needs.log.warn('the web pages have not been built, so nobody can sign in with a browser');

  async function show(
    facts: RequestFacts,
    actor: Actor | null,
    page: string,
    { foreign = nothingForeign, language: wanted, framing = 'none' }: Showing = {},
  ): Promise<HttpResponse> {
    const language = wanted ?? (await languageOf({ actor, request: facts, db }));
    const files = built?.pages[page];
    if (!files) {
      return plainPage({
        status: 503,
        brand: defaultBranding.title,
        language,
        title: 'The pages are missing',
        paragraphs: [
          'This server runs without its web pages, because they have not been built. Its administrator can do that with “npm run build”, on a platform that the bundler supports. The API works all the same.',
        ],
      });
    }
    const brand = await currentBrand(facts.host, db.read, await settings.current(), { publicHost });
    return {
      status: 200,
      headers: {
        ...notStored,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': pagePolicy(foreign, framing),
        ...(framing === 'framed' && { 'x-frame-options': 'SAMEORIGIN' }),
      },
      body: pageShell(files, brand, language, foreign.data),
    };
  }

  const leadTo = (location: string): HttpResponse => ({ status: 302, headers: { ...notStored, location } });

  const actorOf = (facts: RequestFacts) => actorOfSession(needs, facts, needs.clock.now());

  /** A language that the user has chosen is not replaced by one chosen on the page. */
  const ownLanguage = (actor: Actor | null): PageNeeds =>
    actor && hasOwnLanguage(actor.user.attributes) ? { data: { hasLanguage: 'yes' } } : {};

  /** The sign-in page shows who is already signed in. */
  const greeting = (actor: Actor | null, { data }: Required<PageNeeds>): PageNeeds =>
    actor && data.designation === 'authentication'
      ? { data: { signedInAs: actor.user.name || actor.user.username } }
      : {};

  routes.on(['GET'], '/', async ({ facts }) =>
    leadTo((await actorOf(facts)) ? accountPath : await signInPath(facts.host, db.read, null)),
  );

  routes.on(['GET'], '/if/flow/{slug}/', async ({ facts, params }) => {
    const foreign = await needsOfFlowPage(params.slug ?? '', db.read, needs.kinds);
    const actor = await actorOf(facts);
    const wanted = foreign ? mergedNeeds([foreign, greeting(actor, foreign), ownLanguage(actor)]) : nothingForeign;
    const page = await show(facts, actor, 'flow', { foreign: wanted });
    const isMissing = page.status === 200 && !foreign;
    return { ...page, status: isMissing ? 404 : page.status, headers: { ...page.headers, ...stayingInWindow } };
  });

  routes.on(['GET'], authenticatePath, async ({ facts }) =>
    leadTo(await signInPath(facts.host, db.read, ownPath(facts.query.get('next'), publicUrl))),
  );

  /** A page for signed-in users; others sign in first and are redirected back. */
  const ownPage = (
    prefix: string,
    page: string,
    showingOf: (facts: RequestFacts) => Promise<Showing> = async () => ({}),
  ) => {
    routes.on(['GET'], `${prefix}*`, async ({ facts, raw }) => {
      const actor = await actorOf(facts);
      if (!actor) return leadTo(await signInPath(facts.host, db.read, raw.url ?? prefix));
      const isBuilt = built === null || built.pages[page] !== undefined;
      return isBuilt || prefix === accountPath ? show(facts, actor, page, await showingOf(facts)) : leadTo(accountPath);
    });
  };
  ownPage(accountPath, 'account');
  ownPage('/if/admin/', 'admin', async (facts) => {
    const slug = flowTriedAt(facts);
    const foreign = slug === null ? null : await needsOfFlowPage(slug, db.read, needs.kinds);
    return { framing: 'frames', ...(slug !== null && foreign && { foreign: tryingFlow(slug, foreign) }) };
  });

  // Admin pages frame it to preview the sign-in (clickjacking). Its controls are inactive, and it contains no data of
  // the signed-in user.
  routes.on(['GET'], '/if/preview/', async ({ facts }) =>
    show(facts, null, 'preview', {
      framing: 'framed',
      language: languages.find((one) => one === facts.query.get('language')) ?? 'en',
    }),
  );
}
