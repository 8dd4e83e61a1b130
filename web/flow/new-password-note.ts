import { pageFacts } from './page-facts.ts';

const sentKey = 'gatehouse new password';
const changedKey = 'gatehouse password changed';
/** Longer than any redirect takes. */
const lifetimeMs = 60_000;

/** Remembers in this window that the flow was given a new password; whether it is stored shows at its end. */
export function noteNewPassword(): void {
  const { designation = '' } = pageFacts();
  if (['recovery', 'stage_configuration'].includes(designation)) sessionStorage.setItem(sentKey, 'yes');
}

export const forgetNewPassword = (): void => sessionStorage.removeItem(sentKey);

/** The flow has ended, for the page that it leads to. */
export function confirmNewPassword(): void {
  if (sessionStorage.getItem(sentKey) !== null) sessionStorage.setItem(changedKey, String(Date.now()));
  forgetNewPassword();
}

/** Whether the flow before this page has changed the password; says so once. */
export function takePasswordChange(): boolean {
  const at = Number(sessionStorage.getItem(changedKey));
  sessionStorage.removeItem(changedKey);
  return Date.now() - at < lifetimeMs;
}
