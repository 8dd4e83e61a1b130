import type { HttpResponse } from '../platform/http/routes.ts';

export const redirectBrowser = (location: string, cookies: readonly string[] = []): HttpResponse =>
  withCookies(
    { status: 302, headers: { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', location } },
    cookies,
  );

/** The response with additional cookies. */
export const withCookies = (answer: HttpResponse, cookies: readonly string[]): HttpResponse =>
  cookies.length === 0 ? answer : { ...answer, headers: { ...answer.headers, 'set-cookie': [...cookies] } };
