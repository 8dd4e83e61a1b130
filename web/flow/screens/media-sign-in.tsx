import { useEffect, useState } from 'react';
import { ApiProblem, callApi } from '../../api/client.ts';
import type { RedirectChallenge, SourceMediasrcChallenge } from '../../api/types.ts';
import { Notice } from '../../elements/notice.tsx';
import { useBrand } from '../../page/mount-page.tsx';
import { known, t } from '../../texts/texts.ts';
import { safeAddress } from '../safe-address.ts';
import { mediaPage, type Pin, waitForToken } from './media-server.ts';

interface Props {
  readonly name: string;
  readonly challenge: Pick<SourceMediasrcChallenge, 'client_id' | 'slug'>;
  /** Receives the token; by default it is sent to the source, whose flow then starts. */
  onToken?(token: string): Promise<void>;
}

/** The media server's page identifies the person, while this one polls for the result. */
export function MediaSignIn({ name, challenge, onToken }: Props) {
  const { branding_title: product } = useBrand();
  const { client_id: clientId, slug } = challenge;
  const [pin, setPin] = useState<Pin | null>(null);
  const [token, setToken] = useState<string | null>(null);
  const [trouble, setTrouble] = useState('');

  useEffect(() => {
    const stop = new AbortController();
    waitForToken({ clientId, product }, setPin, stop.signal).then(setToken, () => {
      if (!stop.signal.aborted) setTrouble(t('{name} cannot be reached. Please try again later.', { name }));
    });
    return () => stop.abort();
  }, [clientId, product, name]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a token is used once, however often this renders
  useEffect(() => {
    if (token === null) return;
    const use = onToken ?? ((given) => redeem(given, slug));
    use(token).catch((error: unknown) => setTrouble(wordsFor(error)));
  }, [token]);

  if (trouble) return <Notice tone="bad">{trouble}</Notice>;
  if (!pin) return <p role="status">{t('One moment…')}</p>;
  return (
    <div className="stack">
      <a
        className="button button-primary"
        href={mediaPage(pin, clientId, product)}
        target="_blank"
        rel="noopener noreferrer"
      >
        {t('Open the page of {name}', { name })}
      </a>
      <p className="quiet small" role="status">
        {t('Sign in there, then come back to this page. It goes on by itself.')}
      </p>
    </div>
  );
}

async function redeem(plex_token: string, slug: string): Promise<void> {
  const query = new URLSearchParams(location.search);
  query.set('slug', slug);
  // Another user may sign in in another tab.
  query.set('attempt', Array.from(crypto.getRandomValues(new Uint8Array(8)), hexOf).join(''));
  const { to } = await callApi<RedirectChallenge>('POST', `/sources/mediasrc/redeem_token/?${query}`, { plex_token });
  location.assign(safeAddress(to) ?? '/');
}

const hexOf = (byte: number): string => byte.toString(16).padStart(2, '0');

function wordsFor(error: unknown): string {
  if (!(error instanceof ApiProblem)) return t('The server cannot be reached. Please try again later.');
  return Object.values(error.fields).flat().join(' ') || known(error.message);
}
