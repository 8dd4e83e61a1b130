/** What came back, with the body parsed where it is JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
  readonly body: any;
  readonly text: string;
}

export type HeaderMap = Record<string, string>;

export interface Api {
  get(path: string, headers?: HeaderMap): Promise<Answer>;
  post(path: string, body?: unknown, headers?: HeaderMap): Promise<Answer>;
  put(path: string, body?: unknown, headers?: HeaderMap): Promise<Answer>;
  patch(path: string, body?: unknown, headers?: HeaderMap): Promise<Answer>;
  delete(path: string, headers?: HeaderMap): Promise<Answer>;
  /** Anything else; paths that do not begin with /api or /- are below /api/v3. */
  send(method: string, path: string, body?: unknown, headers?: HeaderMap): Promise<Answer>;
}

/** A plain HTTP client: real requests, nothing of ours on this side. */
export function apiFor(origin: string, always: HeaderMap): Api {
  async function send(method: string, path: string, body?: unknown, headers: HeaderMap = {}): Promise<Answer> {
    const url = /^\/(api\/|-\/|if\/|source\/|application\/)/.test(path)
      ? `${origin}${path}`
      : `${origin}/api/v3${path}`;
    const isRaw = typeof body === 'string' || body instanceof FormData || body instanceof Uint8Array;
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: { ...always, ...(body !== undefined && !isRaw && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: isRaw ? (body as string) : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  }
  return apiBy(send);
}

/** The API through a function that sends. */
export const apiBy = (send: Api['send']): Api => ({
  send,
  get: (path, headers) => send('GET', path, undefined, headers),
  post: (path, body, headers) => send('POST', path, body ?? {}, headers),
  put: (path, body, headers) => send('PUT', path, body ?? {}, headers),
  patch: (path, body, headers) => send('PATCH', path, body ?? {}, headers),
  delete: (path, headers) => send('DELETE', path, undefined, headers),
});
