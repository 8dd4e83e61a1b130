import { Invalid } from '../../../lib/problem.ts';
import { actionOn } from '../../../resource/define.ts';
import { arrayOf, booleanSchema, objectSchema, stringSchema } from '../../../resource/document/json-schema.ts';
import { text } from '../../../resource/fields/text.ts';
import { readHost } from './guarded-host.ts';
import { isWithinDomain } from './hosts.ts';
import type { ProxyMode } from './proxy-model.ts';
import { beginTest, readTest } from './proxy-test.ts';

interface Provider {
  readonly pk: number;
  readonly mode: ProxyMode;
  readonly external_host: string;
  readonly cookie_domain: string;
}

const noButton = 'The page of the provider has its own.';

/** Starts a test: the administrator opens the address, and the proxy sends its check. */
export const testProxyAction = actionOn<Provider>()({
  name: 'test_proxy',
  on: 'row',
  method: 'POST',
  page: { noButton },
  summary: 'Begin a test of the reverse proxy in front of the application',
  access: 'change',
  body: {
    host: text({
      ...{ max: 253, blank: true, default: '' },
      help: 'With the mode `forward_domain`: the host of the domain to test.',
    }),
  },
  bodySchema: 'ProxyProviderTestRequest',
  answer: {
    status: 200,
    schema: objectSchema({ test: stringSchema, url: stringSchema }),
    schemaName: 'ProxyProviderTest',
  },
  async run({ call, tx, row, values }) {
    const { protocol } = new URL(row.external_host);
    if (row.mode !== 'forward_domain' || values.host === '') return beginTest(tx, row.pk, row.external_host, call.now);
    const host = readHost(values.host, protocol.slice(0, -1));
    if (host === null || !isInDomain(host, row)) throw Invalid.field('host', 'Enter a host of the domain.');
    return beginTest(tx, row.pk, `${protocol}//${host}`, call.now);
  },
});

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

const isInDomain = (host: string, { cookie_domain }: Provider): boolean =>
  isWithinDomain(host.replace(/:\d+$/, ''), cookie_domain);

/** Returns the headers that the proxy has sent, and the missing ones. */
export const testProxyResultAction = actionOn<Provider>()({
  name: 'test_proxy_result',
  on: 'row',
  method: 'GET',
  page: { noButton },
  summary: 'List the requests that came for a test of the reverse proxy',
  access: 'change',
  query: { test: stringSchema },
  answer: {
    status: 200,
    schema: objectSchema({
      steps: arrayOf(
        objectSchema({
          step: { ...stringSchema, enum: ['check', 'start', 'request'] },
          proxy: stringSchema,
          peer: stringSchema,
          is_trusted: booleanSchema,
          is_found: booleanSchema,
          missing: arrayOf(stringSchema),
          headers: arrayOf(objectSchema({ name: stringSchema, received: stringSchema })),
        }),
      ),
    }),
    schemaName: 'ProxyProviderTestResult',
  },
  async run({ call, tx, row }) {
    const test = call.request.query.get('test') ?? '';
    return { steps: isUuid(test) ? await readTest(tx, row.pk, test, call.now) : [] };
  },
});
