import { dropDrafts } from '../page/drafts.ts';

interface PageFacts {
  readonly designation?: string;
  /** Who was signed in when the page was opened. */
  readonly signedInAs?: string;
  /** Whether the signed-in user has chosen a language, which no choice on the page replaces. */
  readonly hasLanguage?: string;
}

/** The facts that the server put into the document. */
export const pageFacts = (): PageFacts => ({ ...document.getElementById('page')?.dataset });

const signedOutKey = 'gatehouse signed out';

/** Remembers for the next page that this flow has signed the person out. */
export function noteSignOut(): void {
  if (pageFacts().designation === 'invalidation') rememberSignOut();
}

export function rememberSignOut(): void {
  sessionStorage.setItem(signedOutKey, 'yes');
  dropDrafts();
}

/** Whether the previous page signed the person out. */
export const hasSignedOut = (): boolean => sessionStorage.getItem(signedOutKey) !== null;

export const forgetSignOut = (): void => sessionStorage.removeItem(signedOutKey);
