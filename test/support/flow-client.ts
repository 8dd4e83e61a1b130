import { csrfHeader } from '../../src/core/session/session-cookies.ts';
import { type Answer, apiFor, type HeaderMap } from './api.ts';
import { challengeCheck } from './challenge-check.ts';
import type { TestServer } from './server.ts';

/** A browser that keeps cookies and walks through flows. */
export interface Browser {
  readonly cookies: Map<string, string>;
  /** Where it stands in a flow. `query` is the query string of the page. */
  show(flow: string, query?: string): Promise<Answer>;
  answer(flow: string, values: Record<string, unknown>, query?: string): Promise<Answer>;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  send(method: string, path: string, body?: unknown): Promise<Answer>;
}

export function openBrowser(
  { url, app }: Pick<TestServer, 'url'> & Partial<TestServer>,
  headers: HeaderMap = {},
): Browser {
  const cookies = new Map<string, string>();
  const api = apiFor(url, headers);
  const check = app && challengeCheck(app.operations);

  async function send(method: string, path: string, body?: unknown): Promise<Answer> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const csrf = cookies.get('gatehouse_csrf') ?? cookies.get('__Host-gatehouse_csrf');
    const answer = await api.send(method, path, body, {
      ...(cookie && { cookie }),
      ...(csrf && { [csrfHeader]: csrf }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0(;|$)/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  }
  /** What a flow shows is what the document says of it, in every test. */
  async function walk(method: string, path: string, values?: Record<string, unknown>): Promise<Answer> {
    const answer = await send(method, path, values);
    if (answer.status === 200) check?.(answer.body);
    return answer;
  }
  const executor = (flow: string, query = '') => `/flows/executor/${flow}/?query=${encodeURIComponent(query)}`;
  return {
    cookies,
    show: (flow, query) => walk('GET', executor(flow, query)),
    answer: (flow, values, query) => walk('POST', executor(flow, query), values),
    get: (path) => send('GET', path),
    post: (path, body = {}) => send('POST', path, body),
    send,
  };
}

/** Another browser with the same cookies, at this server or another instance of it. */
export function copyBrowser(server: Parameters<typeof openBrowser>[0], { cookies }: Pick<Browser, 'cookies'>): Browser {
  const copy = openBrowser(server);
  for (const [name, value] of cookies) copy.cookies.set(name, value);
  return copy;
}

export const signInFlow = 'default-authentication-flow';

/** Signs a user in by name and password; the last answer. */
export async function signInByPassword(browser: Browser, username: string, password: string): Promise<Answer> {
  await browser.show(signInFlow);
  await browser.answer(signInFlow, { uid_field: username });
  return browser.answer(signInFlow, { password });
}
