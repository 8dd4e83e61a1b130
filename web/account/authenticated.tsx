import { useEffect } from 'react';
import { openChannel } from '../api/recent-authentication.ts';
import { useBrand } from '../page/mount-page.tsx';
import { t } from '../texts/texts.ts';

/** Where the window comes back to in which a user has signed in again: the page that opened it goes on. */
export function Authenticated() {
  const { branding_title } = useBrand();
  useEffect(() => {
    document.title = `${t('You are signed in')} · ${branding_title}`;
    const channel = openChannel();
    channel.postMessage(true);
    channel.close();
    window.close();
  }, [branding_title]);
  return (
    <main className="account-waiting">
      <h1>{t('You are signed in')}</h1>
      <p>{t('You can close this window.')}</p>
      <a href="/">{t('Go to the start page')}</a>
    </main>
  );
}
