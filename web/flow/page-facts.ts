interface PageFacts {
  /** What the flow is for. */
  readonly designation?: string;
  /** Who was signed in with this browser when the page was opened. */
  readonly signedInAs?: string;
}

/** What the document says of this page. */
export const pageFacts = (): PageFacts => ({ ...document.getElementById('page')?.dataset });

const signedOutKey = 'gatehouse signed out';

/** Remembers, for the page that comes next, that this flow has signed the person out. */
export function noteSignOut(): void {
  if (pageFacts().designation === 'invalidation') sessionStorage.setItem(signedOutKey, 'yes');
}

/** Whether the page before this one signed the person out. */
export const hasSignedOut = (): boolean => sessionStorage.getItem(signedOutKey) !== null;

export const forgetSignOut = (): void => sessionStorage.removeItem(signedOutKey);
