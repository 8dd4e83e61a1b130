import type { AuthenticatedSession } from '../api/types.ts';
import { t } from '../texts/texts.ts';

/** What the server reads from the header of a browser. */
export type UserAgent = AuthenticatedSession['user_agent'];

/** `Firefox 144 on Linux` */
export function browserName({ user_agent, os }: UserAgent): string {
  const browser =
    user_agent.family === 'Other' ? t('Unknown browser') : `${user_agent.family} ${user_agent.major}`.trim();
  return os.family === 'Other' ? browser : t('{browser} on {system}', { browser, system: os.family });
}
