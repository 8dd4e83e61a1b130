import { sql } from 'kysely';
import { isJsonObject } from '../../lib/json.ts';
import { chooseLanguage, type Language, languages } from '../../lib/texts/languages.ts';
import type { Database } from '../../platform/db/database.ts';
import { queryCache } from '../../platform/db/query-cache.ts';
import type { RequestFacts } from '../../platform/http/request-facts.ts';
import type { Actor } from '../../resource/access/actor.ts';
import type { JsonPart } from '../../resource/document/json-schema.ts';
import { findBrandOfHost } from './brand-of-host.ts';

/** The caller and the request. */
export interface LanguageRequest {
  readonly actor: Actor | null;
  readonly request: Pick<RequestFacts, 'host' | 'header' | 'cookies'>;
  readonly db: Database;
}

/** Set by the language menu of the sign-in page. */
const languageCookie = 'gatehouse_language';

/** The caller's language: their setting, else the choice in this browser, else the brand's, else the browser's. */
export const languageOf = async ({ actor, request, db }: LanguageRequest): Promise<Language> =>
  chooseLanguage(
    [localeIn(actor?.user.attributes), request.cookies[languageCookie], await brandLocale(db, request.host)],
    request.header('accept-language'),
  );

/** The language of API messages: the caller's setting, else `Accept-Language`, which our pages set. */
export const languageOfCaller = ({ actor, request }: Pick<LanguageRequest, 'actor' | 'request'>): Language =>
  chooseLanguage([localeIn(actor?.user.attributes)], request.header('accept-language'));

/** The language of a mail to a user: their setting, else that of the request that caused it. */
export const languageOfUser = (attributes: unknown, asking: Language): Language =>
  chooseLanguage([localeIn(attributes), asking], undefined);

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

/** Whether the user has chosen a language. */
export const hasOwnLanguage = (attributes: unknown): boolean => localeIn(attributes) !== '';
