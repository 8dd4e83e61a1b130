/** What is asked of both servers. */
export const titles = [
  'client credentials: access token',
  'introspection',
  'userinfo',
  'authorization of a user with a session, and code exchange',
  'reading a user',
  'a page of 20 users',
  'search of users by three letters, 20 found',
  'changing a user',
  'creating a user',
  'creating and deleting a user',
  'sign-in by password, up to the code for an application',
] as const;

/** Does it once. The number is different each time. */
export type Act = (number: number) => Promise<void>;
export type Acts = Readonly<Record<(typeof titles)[number], Act>>;

interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  /** A form, or JSON. */
  readonly body?: URLSearchParams | object;
  /** The status of success (200). */
  readonly expected?: number;
}

export interface Answer {
  readonly headers: Headers;
  readonly text: string;
}

/** Sends a request to one server; anything but the expected status is an error. */
export const sender =
  (url: string) =>
  async (path: string, { method = 'GET', headers = {}, body, expected = 200 }: Sent = {}): Promise<Answer> => {
    const isForm = body === undefined || body instanceof URLSearchParams;
    const answer = await fetch(new URL(path, url), {
      method,
      redirect: 'manual',
      headers: { ...(!isForm && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (answer.status !== expected) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return { headers: answer.headers, text };
  };

export type Send = ReturnType<typeof sender>;

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** The cookies that an answer sets, after those that were there before. */
export const cookiesAfter = ({ headers }: Answer, before = ''): string =>
  [before, ...headers.getSetCookie().map((line) => line.split(';', 1)[0])].filter(Boolean).join('; ');

/** The code with which a server redirects the user to the application. */
export function codeIn({ headers }: Answer): string {
  const location = headers.get('location') ?? '';
  const code = URL.parse(location)?.searchParams.get('code');
  if (!code) throw new Error(`no code was given out: ${location}`);
  return code;
}
