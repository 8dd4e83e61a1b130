/** A sign-in request at the media server, until the person has confirmed it on its page. */
export interface Pin {
  readonly id: number;
  readonly code: string;
  readonly authToken?: string | null;
}

/** How this server identifies itself there. */
interface Asking {
  readonly clientId: string;
  readonly product: string;
}

const askEveryMs = 2_000;

/** Starts a sign-in at the media server and polls until it is confirmed. Returns the person's token. */
export async function waitForToken(asking: Asking, onPin: (pin: Pin) => void, signal: AbortSignal): Promise<string> {
  const pin = await ask(asking, 'POST', '/pins?strong=true', signal);
  onPin(pin);
  let token = pin.authToken;
  while (!token) {
    await new Promise((resolve) => setTimeout(resolve, askEveryMs));
    signal.throwIfAborted();
    ({ authToken: token } = await ask(asking, 'GET', `/pins/${pin.id}`, signal));
  }
  return token;
}

/** The page on which the person confirms it. */
export function mediaPage({ code }: Pin, clientID: string, product: string): string {
  return `https://app.plex.tv/auth#?${new URLSearchParams({ clientID, code, 'context[device][product]': product })}`;
}

async function ask({ clientId, product }: Asking, method: string, path: string, signal: AbortSignal): Promise<Pin> {
  const api = document.getElementById('page')?.dataset.mediaApi ?? '';
  const headers = { accept: 'application/json', 'x-plex-product': product, 'x-plex-client-identifier': clientId };
  const answer = await fetch(`${api}${path}`, { method, headers, signal, credentials: 'omit' });
  if (!answer.ok) throw new Error(`the media server answered with ${answer.status}`);
  return answer.json();
}
