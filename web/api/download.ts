import { ApiProblem, csrfHeaders, NetworkLost } from './client.ts';
import { hasAuthenticatedAgain } from './recent-authentication.ts';

/** Saves the response as a file. A refusal is thrown, where a plain link would save it. */
export async function downloadFile(path: string, method: 'GET' | 'POST' = 'GET'): Promise<void> {
  const answer = await fetchFile(path, method).catch(async (problem) => {
    if (!(await hasAuthenticatedAgain(problem))) throw problem;
    return fetchFile(path, method);
  });
  const [, name = ''] = /filename="([^"]*)"/.exec(answer.headers.get('content-disposition') ?? '') ?? [];
  const file = await answer.blob().catch(() => {
    throw new NetworkLost('The connection was lost.');
  });
  const address = URL.createObjectURL(file);
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  URL.revokeObjectURL(address);
}

async function fetchFile(path: string, method: string): Promise<Response> {
  const headers = { accept: '*/*', 'accept-language': document.documentElement.lang, ...csrfHeaders() };
  const request: RequestInit = { method, headers, credentials: 'same-origin', cache: 'no-store' };
  const answer = await fetch(`/api/v3${path}`, request).catch(() => {
    throw new NetworkLost('The server cannot be reached.');
  });
  if (answer.ok) return answer;
  const body = await answer.json().catch(() => null);
  throw new ApiProblem(answer.status, body, answer.headers.get('x-request-id') ?? '');
}
