const prefix = 'draft ';

/** Where session storage keeps what a person has typed into a form and not saved. */
export const draftKey = (person: number, form: string): string => `${prefix}${person} ${form}`;

/** Drops the unsaved changes of this window at sign-out. */
export function dropDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
}
