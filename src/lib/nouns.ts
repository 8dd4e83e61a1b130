/** As in the middle of a sentence: `policy`, `OAuth Source`. */
export const inSentence = (name: string): string =>
  /[A-Z].*[A-Z]/.test(name.split(' ')[0] ?? '') ? name : name.toLowerCase();

/** Acronyms that are read as words; others are spelled, so that `LDAP` begins with a vowel. */
const readAsWords = ['SAML', 'SCIM', 'RADIUS'];

/** A noun with its indefinite article: `a policy`, `an event`, `a user`, `an LDAP Source`, `a SAML Source`. */
export function withArticle(noun: string): string {
  const [first = ''] = noun.split(/[ /-]/);
  const isSpelled = /^[A-Z][A-Z\d]+$/.test(first) && !readAsWords.includes(first);
  const vowel = isSpelled ? /^[AEFHILMNORSX]/ : /^(?!eu|one|uni|us[ae])[aeiou]/i;
  return `${vowel.test(first) ? 'an' : 'a'} ${noun}`;
}
