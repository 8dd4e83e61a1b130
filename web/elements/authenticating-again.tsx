import { useEffect, useState } from 'react';
import { callApi } from '../api/client.ts';
import { authenticatedPath, openChannel } from '../api/recent-authentication.ts';
import type { SessionUser } from '../api/types.ts';
import { t } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

interface Props {
  /** Where the user signs in again. */
  readonly url: string;
  onEnd(hasAuthenticated: boolean): void;
}

const whoIs = async (): Promise<number> => (await callApi<SessionUser>('GET', '/core/users/me/')).user.pk;

/**
 * Asks the user to sign in again, in a window of its own: the page keeps what they have typed, and goes on afterwards.
 */
export function AuthenticatingAgain({ url, onEnd }: Props) {
  const [isWaiting, setWaiting] = useState(false);
  useEffect(() => {
    const user = whoIs();
    const channel = openChannel();
    channel.onmessage = async () => {
      // Another user must not go on with what this one has begun.
      if ((await user) !== (await whoIs())) return location.reload();
      onEnd(true);
    };
    return () => channel.close();
  }, [onEnd]);
  const address = `${url}?${new URLSearchParams({ next: authenticatedPath })}`;
  return (
    <Dialog title={t('Sign in again')} onClose={() => onEnd(false)}>
      <p>
        {t(
          'This requires that you have signed in within the last 10 minutes. Sign in again in a new window; this page then continues.',
        )}
      </p>
      {isWaiting && <p role="status">{t('Waiting for you to sign in…')}</p>}
      <div className="row">
        <a
          className="button button-primary"
          href={address}
          target="_blank"
          onClick={(event) => {
            setWaiting(true);
            // A window that a script has opened may close itself.
            if (window.open(address)) event.preventDefault();
          }}
          rel="noopener"
        >
          {t('Sign in again')}
        </a>
        <Button onClick={() => onEnd(false)}>{t('Cancel')}</Button>
      </div>
    </Dialog>
  );
}
