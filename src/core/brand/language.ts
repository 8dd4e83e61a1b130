import { sql } from 'kysely';
import { isJsonObject } from '../../lib/json.ts';
import { chooseLanguage, type Language, languages } from '../../lib/texts/languages.ts';
import type { Database } from '../../platform/db/database.ts';
import { queryCache } from '../../platform/db/query-cache.ts';
import type { RequestFacts } from '../../platform/http/request-facts.ts';
import type { Actor } from '../../resource/actor.ts';
import type { JsonPart } from '../../resource/json-schema.ts';
import { findBrandOfHost } from './brand-of-host.ts';
import { brandTitle } from './brand-title.ts';

/** Who asks, and by which request. */
export interface LanguageRequest {
  readonly actor: Actor | null;
  readonly request: Pick<RequestFacts, 'host' | 'header'>;
  readonly db: Database;
}

/** The language of whoever asks: their setting, else the brand's, else what their browser accepts. */
export const languageOf = async ({ actor, request, db }: LanguageRequest): Promise<Language> =>
  chooseLanguage(
    [localeIn(actor?.user.attributes), await brandLocale(db, request.host)],
    request.header('accept-language'),
  );

/** The language in which the API words what it answers: the caller's setting, else what they accept, as our pages say it. */
export const languageOfCaller = ({ actor, request }: Pick<LanguageRequest, 'actor' | 'request'>): Language =>
  chooseLanguage([localeIn(actor?.user.attributes)], request.header('accept-language'));

/** The language of a mail to a user: their setting, else that of the request that caused it. */
export const languageOfUser = (attributes: unknown, asking: Language): Language =>
  chooseLanguage([localeIn(attributes), asking], undefined);

/** What every plain page shows: the brand's title, in the language of whoever asks. */
export const pageFrame = async (asking: LanguageRequest): Promise<{ brand: string; language: Language }> => ({
  brand: await brandTitle(asking.request.host, asking.db.read),
  language: await languageOf(asking),
});

const cache = queryCache<string>('brand locales');

/** The default language of this host's brand; empty if it has none. */
const brandLocale = (db: Database, host: string): Promise<string> =>
  cache.read(db, host, async (query) => {
    const brand = await findBrandOfHost(host, query);
    const { rows } = await sql<{ attributes: string }>`select attributes from brands
      where pk = ${brand?.pk ?? null}`.execute(query);
    return rows[0] ? localeIn(JSON.parse(rows[0].attributes)) : '';
  });

/** The field that forms have for it. */
export const languagePart = (help: string): JsonPart => ({
  path: ['settings', 'locale'],
  label: 'Language',
  help,
  choices: languages,
  areLanguages: true,
});

/** `settings.locale` of the attributes of a user or brand, which people write freely. */
function localeIn(attributes: unknown): string {
  const settings = isJsonObject(attributes) ? attributes.settings : null;
  return isJsonObject(settings) && typeof settings.locale === 'string' ? settings.locale : '';
}
