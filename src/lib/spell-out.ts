import { acronyms } from './acronyms.ts';

/** `app_password` as people read it: `App password`; `client_ip` is `Client IP`. */
export const spellOut = (name: string): string =>
  capitalized(
    name
      .split(/[_-]+/)
      .filter(Boolean)
      .map((word) => acronyms[word] ?? word)
      .join(' '),
  );

/** As at the start of a sentence. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
