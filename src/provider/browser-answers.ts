import type { HttpAnswer } from '../platform/http/routes.ts';

export const redirectBrowser = (location: string, cookies: readonly string[] = []): HttpAnswer =>
  withCookies(
    { status: 302, headers: { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', location } },
    cookies,
  );

/** The same answer, with these cookies set besides. */
export const withCookies = (answer: HttpAnswer, cookies: readonly string[]): HttpAnswer =>
  cookies.length === 0 ? answer : { ...answer, headers: { ...answer.headers, 'set-cookie': [...cookies] } };
