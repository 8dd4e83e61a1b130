import { type IncomingHttpHeaders, request } from 'node:http';

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
  json(): any;
}

export interface RawRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | object;
  /** An address of this machine to come from, such as 127.0.0.2. */
  readonly from?: string;
}

/** Sends the path as it is (URL parsers would clean it up before it left), and any header, `Host` included. */
export function rawRequest(
  origin: string,
  path: string,
  { method = 'GET', headers = {}, body, from }: RawRequest = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(origin);
  const text = typeof body === 'object' ? JSON.stringify(body) : body;
  const type = typeof body === 'object' ? { 'content-type': 'application/json' } : {};
  const length = text === undefined ? {} : { 'content-length': String(Buffer.byteLength(text)) };
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        hostname: hostname.replace(/^\[|\]$/g, ''),
        port,
        path,
        method,
        agent: false,
        headers: { ...type, ...length, ...headers },
        ...(from !== undefined && { localAddress: from }),
      },
      async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        const answered = Buffer.concat(chunks).toString('utf8');
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: answered,
          json: () => JSON.parse(answered),
        });
      },
    );
    sent.on('error', reject).end(text);
  });
}
