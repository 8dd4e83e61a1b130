/** The languages of the pages; all but English have a catalogue in this folder. */
export const languages = ['ar', 'de', 'en', 'es', 'fr', 'ja'] as const;

export type Language = (typeof languages)[number];
