/** What signing in needs of `fetch`; that of undici has further options. */
type Ask = (
  path: string,
  init: { method?: string; headers: Record<string, string>; body?: string },
) => Promise<{ readonly headers: { getSetCookie(): string[] }; json(): Promise<unknown> }>;

/** Signs in by name and password through the default flow, over plain HTTP. Gives the cookies as they were set. */
export async function signInByPassword(
  ask: Ask,
  username: string,
  password: string,
): Promise<{ readonly cookie: string; readonly setCookies: readonly string[] }> {
  const path = '/api/v3/flows/executor/default-authentication-flow/?query=';
  const cookies = new Map<string, string>();
  const setCookies: string[] = [];
  const header = () => [...cookies].map((pair) => pair.join('=')).join('; ');
  for (const body of [null, { uid_field: username }, { password }, null]) {
    const headers = { cookie: header(), ...(body && { 'content-type': 'application/json' }) };
    const response = await ask(path, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers });
    for (const cookie of response.headers.getSetCookie()) {
      setCookies.push(cookie);
      const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split('=');
      cookies.set(name, value);
    }
  }
  return { cookie: header(), setCookies };
}
