import { ApiProblem, NetworkLost } from './client.ts';

/** Saves what a `GET` answers as a file. A refusal is thrown, where a plain link would save it. */
export async function downloadFile(path: string): Promise<void> {
  const headers = { accept: '*/*', 'accept-language': document.documentElement.lang };
  const answer = await fetch(`/api/v3${path}`, { headers, credentials: 'same-origin', cache: 'no-store' }).catch(() => {
    throw new NetworkLost('The server cannot be reached.');
  });
  if (!answer.ok) {
    const body = await answer.json().catch(() => null);
    throw new ApiProblem(answer.status, body, answer.headers.get('x-request-id') ?? '');
  }
  const [, name = ''] = /filename="([^"]*)"/.exec(answer.headers.get('content-disposition') ?? '') ?? [];
  const address = URL.createObjectURL(await answer.blob());
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  URL.revokeObjectURL(address);
}
