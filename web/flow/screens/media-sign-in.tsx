import { useEffect, useState } from 'react';
import { ApiProblem, callApi, NetworkLost } from '../../api/client.ts';
import { Notice } from '../../elements/notice.tsx';
import { useBrand } from '../../page/mount-page.tsx';
import type { Redirect } from '../challenge.ts';
import { safeAddress } from '../safe-address.ts';
import type { MediaChallenge } from './source-buttons.tsx';

interface Pin {
  readonly id: number;
  readonly code: string;
  readonly authToken?: string | null;
}

const askEveryMs = 2_000;

/** Signs in with the media server: its site asks who is there, and this page asks it again and again whether it knows. */
export function MediaSignIn({ name, challenge }: { name: string; challenge: MediaChallenge }) {
  const { branding_title: product } = useBrand();
  const [pin, setPin] = useState<Pin | null>(null);
  const [trouble, setTrouble] = useState('');
  const { client_id, slug } = challenge;

  useEffect(() => {
    const stop = new AbortController();
    signIn(client_id, slug, product, setPin, stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) setTrouble(wordsFor(error, name));
    });
    return () => stop.abort();
  }, [client_id, slug, product, name]);

  if (trouble) return <Notice tone="bad">{trouble}</Notice>;
  if (!pin) return <p role="status">One moment…</p>;
  return (
    <div className="stack">
      <a
        className="button button-primary"
        href={pageOf(pin, client_id, product)}
        target="_blank"
        rel="noopener noreferrer"
      >
        Open the page of {name}
      </a>
      <p className="quiet small" role="status">
        Sign in there, then come back to this page. It goes on by itself.
      </p>
    </div>
  );
}

async function signIn(
  clientId: string,
  slug: string,
  product: string,
  onPin: (pin: Pin) => void,
  signal: AbortSignal,
): Promise<void> {
  const ask = (method: string, path: string) => askMediaServer(method, path, clientId, product, signal);
  const pin = await ask('POST', '/pins?strong=true');
  onPin(pin);
  let token = pin.authToken;
  while (!token) {
    await new Promise((resolve) => setTimeout(resolve, askEveryMs));
    signal.throwIfAborted();
    ({ authToken: token } = await ask('GET', `/pins/${pin.id}`));
  }
  const query = new URLSearchParams(location.search);
  query.set('slug', slug);
  const { to } = await callApi<Redirect>('POST', `/sources/mediasrc/redeem_token/?${query}`, { plex_token: token });
  location.assign(safeAddress(to) ?? '/');
}

async function askMediaServer(
  method: string,
  path: string,
  clientId: string,
  product: string,
  signal: AbortSignal,
): Promise<Pin> {
  const api = document.getElementById('page')?.dataset.mediaApi ?? '';
  const headers = { accept: 'application/json', 'x-plex-product': product, 'x-plex-client-identifier': clientId };
  const answer = await fetch(`${api}${path}`, { method, headers, signal, credentials: 'omit' });
  if (!answer.ok) throw new NetworkLost();
  return answer.json();
}

function pageOf({ code }: Pin, clientId: string, product: string): string {
  const facts = new URLSearchParams({ clientID: clientId, code, 'context[device][product]': product });
  return `https://app.plex.tv/auth#?${facts}`;
}

function wordsFor(error: unknown, name: string): string {
  if (!(error instanceof ApiProblem)) return `${name} cannot be reached. Please try again later.`;
  return Object.values(error.fields).flat().join(' ') || error.message;
}
