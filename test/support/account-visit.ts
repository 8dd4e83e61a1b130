import type { Page } from 'playwright-core';
import type { Journey } from './journey.ts';
import type { TestUser } from './server.ts';
import { type SignedIn, signIn } from './session.ts';

type Person = Pick<TestUser, 'pk' | 'username'>;

interface VisitOptions {
  readonly person?: Person;
  readonly viewport?: { readonly width: number; readonly height: number };
  /** What the window may complain about, beside refusals. */
  readonly tolerates?: RegExp;
  /** What the person has before the page is opened. */
  prepare?(person: Person): Promise<unknown>;
}

export interface Visit {
  readonly page: Page;
  readonly person: Person;
  readonly session: SignedIn;
}

// What is refused is told on the page; the console tells of it as well.
const refusals = /^Failed to load resource: the server responded with a status of 40[03]/;

/** A person with a window of theirs, signed in by cookie, at a section of their own page. */
export async function visit(
  { server, window }: Journey,
  section: string,
  { person, viewport, tolerates = refusals, prepare }: VisitOptions = {},
): Promise<Visit> {
  const visitor = person ?? (await server.user());
  await prepare?.(visitor);
  const session = await signIn(server, visitor.pk);
  const page = await window({ tolerates, ...(viewport && { viewport }) });
  const url = server.url.replace('127.0.0.1', 'localhost');
  const [name = '', value = ''] = session.cookie.split('=');
  await page.context().addCookies([
    { name, value, url, httpOnly: true },
    { name: 'gatehouse_csrf', value: session.csrf, url },
  ]);
  await page.goto(`/if/user/${section && `${section}/`}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  // What the page asks for besides must not meet a server on which the test has gone on already.
  await page.waitForLoadState('networkidle');
  return { page, person: visitor, session };
}
