/** Latin letters that do not decompose into an ASCII letter and a mark. */
const plainLetters: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', ħ: 'h', ı: 'i', ł: 'l', ŋ: 'ng', þ: 'th', ŧ: 't' },
};

const decomposed = (text: string): string =>
  text.normalize('NFKD').replace(/[ßæœøđðħıłŋþŧ]/gi, (letter) => plainLetters[letter.toLowerCase()] ?? letter);

/** Whether the slug omits letters, digits or symbols of the text, so that different texts have equal slugs. */
export const isSlugPartial = (text: string): boolean => /[^\p{ASCII}\p{P}\p{M}\p{Z}]/u.test(decomposed(text));

/** Lower-case ASCII words of letters, digits and underscores, joined by hyphens. */
export const slugify = (text: string): string =>
  decomposed(text)
    .replace(/[^\x20-\x7e\s]/g, '')
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .split(/[-\s]/)
    .filter((word) => word.replaceAll('_', '') !== '')
    .join('-');
