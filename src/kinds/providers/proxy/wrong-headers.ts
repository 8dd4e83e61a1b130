import { frameAtApplication } from '../../../core/brand/page-frame.ts';
import { message, type UserText, verbatim } from '../../../lib/texts/message.ts';
import { plainPage } from '../../../platform/http/plain-page.ts';
import type { HttpResponse } from '../../../platform/http/routes.ts';
import type { Call } from '../../../resource/call.ts';
import type { ProxyKind, Wrong } from './forwarded.ts';

/** Lists received and missing headers for the administrator of the proxy. It shows nothing but the request itself. */
async function wrongPage(call: Call, paragraphs: readonly UserText[]): Promise<HttpResponse> {
  const lines: UserText[] = [...paragraphs, 'The documentation of forward auth has the configuration of each proxy.'];
  return plainPage({
    status: 400,
    ...(await frameAtApplication(call)),
    title: 'The reverse proxy is not set up',
    paragraphs: lines,
  });
}

/** No provider protects the host that the request came for. */
export const unknownHostPage = (call: Call): Promise<HttpResponse> => {
  const { authority, isForwarded, clientIp } = call.request;
  return wrongPage(call, [
    'No provider of Gatehouse protects this host. The external host of a provider has to be the host that people enter.',
    verbatim(`Host: ${authority.slice(0, 200)}`),
    ...(isForwarded ? [] : [untrusted(clientIp)]),
  ]);
};

const untrusted = (address: string) =>
  message('Headers of a reverse proxy are read only if GATEHOUSE_TRUSTED_PROXIES has its address: {address}', {
    address,
  });

export const wrongHeadersPage = (call: Call, kind: ProxyKind, wrong: readonly Wrong[]): Promise<HttpResponse> =>
  wrongPage(call, [
    message('{kind}: the request to check authentication lacks something.', { kind }),
    ...wrong.map(({ header, received }) =>
      header === 'peer' ? untrusted(received) : verbatim(`${header}: ${received === '' ? '–' : received}`),
    ),
  ]);
