/** A question that the media server keeps, until somebody has answered it on its own page. */
export interface Pin {
  readonly id: number;
  readonly code: string;
  readonly authToken?: string | null;
}

/** How this server calls itself there. */
interface Asking {
  readonly clientId: string;
  readonly product: string;
}

const askEveryMs = 2_000;

/** Asks the media server who is there, and waits until it knows. Answers the person's token. */
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

/** Where somebody answers it. */
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
