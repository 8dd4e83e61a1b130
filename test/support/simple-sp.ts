import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readRedirect } from '../../src/lib/saml/redirect-binding.ts';
import { attributeOf } from '../../src/lib/xml/element.ts';
import { readXml } from '../../src/lib/xml/read-xml.ts';
import {
  deflated,
  elementOf,
  encoded,
  logoutResponse,
  makeServiceProvider,
  type ServiceProvider,
  textIn,
} from './saml-sp.ts';
import type { TestServer } from './server.ts';

/** What a service provider does with logout requests. */
export type Manner =
  /** Ends the session and sends the browser back. */
  | 'redirects'
  /** The same by a form, which the browser is to send. */
  | 'posts'
  /** Shows a page and never sends the browser back. */
  | 'is silent'
  /** Knows the session by its cookie alone, and asks whoever has none to sign in. */
  | 'wants its cookie';

export interface SimpleSp extends ServiceProvider {
  /** The indexes of its sessions. */
  readonly sessions: Set<string>;
  close(): Promise<void>;
}

/** A service provider that keeps sessions. It verifies nothing. */
export async function startSimpleSp(
  server: TestServer,
  manner: Manner,
  values: Record<string, unknown> = {},
): Promise<SimpleSp> {
  const sessions = new Set<string>();
  let answersTo = '';
  const page = (response: ServerResponse, heading: string, more = '') =>
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<!doctype html><link rel="icon" href="data:,"><h1>${heading}</h1>${more}`);

  const http = createServer(async (request, response) => {
    const { pathname, search } = new URL(request.url ?? '', 'http://sp');
    const form = await formIn(request);
    if (pathname === '/acs') {
      const statement = elementOf(read(form.get('SAMLResponse')), 'AuthnStatement');
      const index = (statement && attributeOf(statement, 'SessionIndex')) ?? '';
      sessions.add(index);
      response.setHeader('set-cookie', `${cookieName()}=${index}; SameSite=Lax`);
      return page(response, 'Signed in');
    }
    const root = request.method === 'POST' ? read(form.get('SAMLRequest')) : ofRedirect(search.slice(1));
    const index = textIn(root, 'SessionIndex') ?? '';
    if (manner === 'is silent') return page(response, 'Nobody leaves');
    if (manner === 'wants its cookie' && !request.headers.cookie?.includes(`${cookieName()}=${index}`)) {
      return page(response, 'Please sign in');
    }
    sessions.delete(index);
    const answer = logoutResponse(attributeOf(root, 'ID') ?? '');
    if (manner === 'posts') {
      const field = `<input type="hidden" name="SAMLResponse" value="${encoded(answer)}">`;
      const send = '<script>document.forms[0].submit()</script>';
      return page(response, 'Back', `<form method="post" action="${answersTo}">${field}</form>${send}`);
    }
    const query = new URLSearchParams({ SAMLResponse: deflated(answer) });
    return response.writeHead(302, { location: `${answersTo}?${query}` }).end();
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  const cookieName = () => `sp${port}`;
  const url = `http://127.0.0.1:${port}`;
  const made = await makeServiceProvider(server, { acs_url: `${url}/acs`, sls_url: `${url}/slo`, ...values });
  answersTo = `${server.world.config.publicUrl}${made.at('slo/binding/redirect/')}`;
  return {
    ...made,
    sessions,
    close: () =>
      new Promise((resolve) => {
        http.closeAllConnections();
        http.close(() => resolve());
      }),
  };
}

async function formIn(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return new URLSearchParams(text);
}

const read = (value: string | null) => readXml(Buffer.from(value ?? '', 'base64').toString(), { maxLength: 100_000 });
const ofRedirect = (query: string) => readXml(readRedirect(query).text, { maxLength: 100_000 });
