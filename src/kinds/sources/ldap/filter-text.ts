import { FilterParser } from 'ldapts';

/** Whether it is a search filter (RFC 4515). */
export function filterComplaint(text: string): string | null {
  try {
    FilterParser.parseString(text);
    return null;
  } catch {
    return 'Enter a search filter such as (objectClass=person).';
  }
}
