import { type Browser, openBrowser } from '../../support/flow-client.ts';
import type { TestServer } from '../../support/server.ts';

export interface Page {
  readonly status: number;
  readonly location: string;
  readonly text: string;
}

/** Opens an address of the server in a browser, without following where it leads. */
export async function visit(
  { url }: Pick<TestServer, 'url'>,
  browser: Browser,
  path: string,
  init: { readonly headers?: Record<string, string>; readonly form?: Record<string, string> } = {},
): Promise<Page> {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const answer = await fetch(url + path, {
    redirect: 'manual',
    headers: { accept: 'text/html', ...(cookie && { cookie }), ...init.headers },
    ...(init.form && { method: 'POST', body: new URLSearchParams(init.form) }),
  });
  for (const line of answer.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    browser.cookies.set(name, value);
  }
  return { status: answer.status, location: answer.headers.get('location') ?? '', text: await answer.text() };
}

/** Leaves for a source; the request for authorization that the browser is sent to. */
export async function depart(server: TestServer, browser: Browser, slug: string, query = ''): Promise<URL> {
  const page = await submitLink(server, browser, await visit(server, browser, `/source/oauth/login/${slug}/${query}`));
  if (page.status !== 302) throw new Error(`no departure: ${page.status} ${page.text}`);
  return new URL(page.location);
}

/** The form on a page. */
export function formOn({ text }: Page): { action: string; members: Record<string, string> } {
  const plain = (value = '') => value.replaceAll('&#61;', '=').replaceAll('&#43;', '+').replaceAll('&amp;', '&');
  const inputs = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
  return {
    action: plain(/<form method="post" action="([^"]+)"/.exec(text)?.[1]),
    members: Object.fromEntries(inputs.map(([, name = '', value]) => [name, plain(value)])),
  };
}

/** Confirms that an account is to be linked, if the page asks for it. */
export async function submitLink(server: TestServer, browser: Browser, page: Page): Promise<Page> {
  const { action, members } = formOn(page);
  return members.proof === undefined ? page : visit(server, browser, action, { form: members });
}

/** Comes back to the server with an answer. */
export const comeBack = (
  server: TestServer,
  browser: Browser,
  slug: string,
  answer: Record<string, string>,
): Promise<Page> => visit(server, browser, `/source/oauth/callback/${slug}/?${new URLSearchParams(answer)}`);

/** Where a page leads, without the attempt that it began. */
export const leadsTo = ({ location }: Page): string => location.replace(/[?&]attempt=\w{16}$/, '');

/** Goes through the flow that a page leads to; the challenge it ends with. */
export async function throughFlow(browser: Browser, page: Page) {
  const [, flow = '', query = ''] = /^\/if\/flow\/([^/]+)\/(?:\?(.*))?$/.exec(page.location) ?? [];
  if (flow === '') throw new Error(`no flow: ${page.status} ${page.location} ${page.text}`);
  return (await browser.show(flow, query)).body;
}

export const newBrowser = openBrowser;

/** What a page says, without its markup. */
export const saidOn = ({ text }: Page): string =>
  text
    .replaceAll(/<style>.*?<\/style>/gs, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll(/\s+/g, ' ');
