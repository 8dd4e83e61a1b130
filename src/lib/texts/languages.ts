/** The languages of pages, challenges and mails. All but English have a catalogue here and in `web/texts/`. */
export const languages = ['ar', 'de', 'en', 'es', 'fr', 'ja'] as const;

export type Language = (typeof languages)[number];

export const directionOf = (language: Language): 'ltr' | 'rtl' => (language === 'ar' ? 'rtl' : 'ltr');

/** The first of the settings that is a supported language, else one that the browser accepts, else English. */
export function chooseLanguage(settings: readonly unknown[], acceptLanguage: string | undefined): Language {
  return firstLanguage(settings) ?? (acceptLanguage ? firstLanguage(acceptedTags(acceptLanguage)) : null) ?? 'en';
}

function firstLanguage(tags: readonly unknown[]): Language | null {
  for (const tag of tags) {
    const language = typeof tag === 'string' && tag !== '' ? languageOfTag(tag) : undefined;
    if (language) return language;
  }
  return null;
}

/** `de` of `de-AT` and `de_AT`. */
function languageOfTag(tag: string): Language | undefined {
  const base = tag.trim().toLowerCase().split(/[-_]/, 1)[0];
  return languages.find((language) => language === base);
}

const maxTags = 20;

/** The tags of an `Accept-Language` header, by preference; those with `q=0` are not accepted (RFC 9110 §12.5.4). */
function acceptedTags(header: string): string[] {
  const ranges = header.split(',', maxTags).map((range) => {
    const [tag = '', ...parameters] = range.split(';');
    const quality = parameters.map((text) => /^\s*q\s*=\s*([\d.]+)\s*$/i.exec(text)?.[1]).find(Boolean);
    return { tag, quality: quality === undefined ? 1 : Number(quality) };
  });
  return ranges
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag);
}
