import { request } from 'node:http';
import { cookieNames } from '../../src/core/session/session-cookies.ts';
import type { TestServer } from './server.ts';
import { type SignedIn, signIn } from './session.ts';

export const publicUrl = 'http://id.example.com';
/** The settings of a server that tests reach as a reverse proxy does. */
export const behindProxy = { GATEHOUSE_PUBLIC_URL: publicUrl, GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1' };

let count = 0;

export interface ProtectedHost {
  readonly pk: number;
  readonly application: string;
  readonly slug: string;
  readonly url: string;
  readonly host: string;
}

/** An application behind a proxy provider, which asks no user for consent. */
export async function protect(
  { admin }: Pick<TestServer, 'admin'>,
  values: Record<string, unknown> = {},
): Promise<ProtectedHost> {
  count += 1;
  const flows = await admin.get('/flows/instances/?slug=default-provider-authorization-implicit-consent');
  const external_host = String(values.external_host ?? `https://app-${count}.example.com`);
  const provider = await admin.post('/providers/proxy/', {
    name: `protected ${count}`,
    authorization_flow: flows.body.results[0].pk,
    mode: 'forward_single',
    ...values,
    external_host,
  });
  if (provider.status !== 201) throw new Error(`no provider: ${provider.text}`);
  const slug = `protected-${count}`;
  const application = await admin.post('/core/applications/', {
    ...{ name: `Protected ${count}`, slug, provider: provider.body.pk },
  });
  if (application.status !== 201) throw new Error(`no application: ${application.text}`);
  const { host } = new URL(external_host);
  return { pk: provider.body.pk, application: application.body.pk, slug, url: external_host, host };
}

export interface Came {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly cookies: readonly string[];
  readonly location: string;
  readonly text: string;
}

export type SentHeaders = Readonly<Record<string, string | readonly string[]>>;

/** One request as bytes leave a proxy: any header, several of one name, and a path that nothing normalizes. */
export function sendAs(
  server: Pick<TestServer, 'url'>,
  path: string,
  headers: SentHeaders = {},
  { method = 'GET', localAddress = '127.0.0.1', body = '' } = {},
): Promise<Came> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const options = { hostname, port, path, method, localAddress, headers: headers as Record<string, string> };
    const sent = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const entries = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
        resolve({
          status: response.statusCode ?? 0,
          headers: Object.fromEntries(entries),
          cookies: response.headers['set-cookie'] ?? [],
          location: response.headers.location ?? '',
          text: Buffer.concat(chunks).toString('utf8'),
        });
      });
    });
    sent.on('error', reject).end(body);
  });
}

/** What browsers say when a user opens a page. */
export const navigating = { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'none', accept: 'text/html' };

/** A browser whose requests a trusted proxy forwards, with its cookies for each host. */
export function proxiedBrowser(
  server: TestServer,
  jar = new Map<string, Map<string, string>>(),
  /** The outpost that serves the applications. */
  outpost: Pick<TestServer, 'url'> = server,
) {
  const serving = (host: string) => (host === new URL(publicUrl).host ? server : outpost);

  const cookiesFor = (host: string) =>
    [...jar].flatMap(([domain, cookies]) => (domain === host || host.endsWith(domain) ? [...cookies] : []));

  function keep(host: string, headers: readonly string[]): void {
    for (const header of headers) {
      const [pair = '', ...attributes] = header.split('; ');
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      const domain = attributes.find((one) => one.startsWith('Domain='))?.slice(7);
      const at = domain === undefined ? host : `.${domain}`;
      const cookies = jar.get(at) ?? new Map<string, string>();
      if (attributes.includes('Max-Age=0')) cookies.delete(name);
      else cookies.set(name, value);
      jar.set(at, cookies);
    }
  }

  const cookieHeader = (host: string): SentHeaders => {
    const cookies = cookiesFor(host.replace(/:\d+$/, ''));
    return cookies.length === 0 ? {} : { cookie: cookies.map((pair) => pair.join('=')).join('; ') };
  };

  async function open(
    url: string,
    headers: SentHeaders = {},
    options: { method?: string; body?: string } = {},
  ): Promise<Came> {
    const { protocol, host, pathname, search } = new URL(url);
    const came = await sendAs(
      serving(host),
      pathname + search,
      {
        ...navigating,
        ...cookieHeader(host),
        'x-forwarded-host': host,
        'x-forwarded-proto': protocol.slice(0, -1),
        'x-forwarded-for': '203.0.113.7',
        ...headers,
      },
      options,
    );
    keep(host.replace(/:\d+$/, ''), came.cookies);
    return came;
  }

  /** Follows redirects until there is a page, or the address is one of these. Gives every address that was opened. */
  async function follow(url: string, until: (url: string) => boolean = () => false): Promise<[Came, string[]]> {
    const opened: string[] = [];
    let next = url;
    for (let hops = 0; hops < 12; hops++) {
      opened.push(next);
      const came = await open(next);
      if (came.location === '') return [came, opened];
      next = new URL(came.location, next).href;
      if (until(next)) return [came, [...opened, next]];
    }
    throw new Error(`redirects without end: ${opened.join('\n')}`);
  }

  /** What a proxy asks about a request of this browser. */
  function ask(url: string, { kind = 'caddy', headers = {} }: { kind?: string; headers?: SentHeaders } = {}) {
    const { protocol, host, pathname, search } = new URL(url);
    const described =
      kind === 'nginx'
        ? { 'x-original-url': url }
        : { 'x-forwarded-uri': pathname + search, 'x-forwarded-method': 'GET' };
    return sendAs(serving(host), `/outpost.gatehouse/auth/${kind}`, {
      ...navigating,
      ...cookieHeader(host),
      'x-forwarded-host': host,
      'x-forwarded-proto': protocol.slice(0, -1),
      'x-forwarded-for': '203.0.113.7',
      ...described,
      ...headers,
    });
  }

  return {
    jar,
    open,
    follow,
    ask,
    /** Gives the browser a session of this server, as signing in would. */
    async signIn(user: number, options: Parameters<typeof signIn>[2] = {}): Promise<SignedIn> {
      const session = await signIn(server, user, options);
      jar.set('id.example.com', new Map([[cookieNames(false).session, session.cookie.split('=')[1] ?? '']]));
      return session;
    },
    /** Opens the application and goes through the redirects, up to the application itself. */
    async enter({ host, url }: Pick<ProtectedHost, 'host' | 'url'>, path = '/'): Promise<string[]> {
      const [, opened] = await follow(
        `${url}/outpost.gatehouse/start?rd=${encodeURIComponent(path)}`,
        (next) => new URL(next).host === host && !new URL(next).pathname.startsWith('/outpost.gatehouse/'),
      );
      return opened;
    },
    /** Signs out at the application, and confirms. */
    async leave({ url }: Pick<ProtectedHost, 'url'>): Promise<Came> {
      const address = `${url}/outpost.gatehouse/sign_out`;
      const [, name = '', value = ''] =
        /type="hidden" name="([^"]+)" value="([^"]+)"/.exec((await open(address)).text) ?? [];
      const body = new URLSearchParams({ [name]: value }).toString();
      return open(address, { 'content-type': 'application/x-www-form-urlencoded' }, { method: 'POST', body });
    },
  };
}

/** The cookies of a host as a browser sends them. */
export const cookiesOf = ({ jar }: Pick<ProxiedBrowser, 'jar'>, host: string): string =>
  [...(jar.get(host) ?? [])].map((pair) => pair.join('=')).join('; ');

export type ProxiedBrowser = ReturnType<typeof proxiedBrowser>;
