import type { IncomingMessage } from 'node:http';
import { sql } from 'kysely';
import { frameAtApplication } from '../../../core/brand/page-frame.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import type { Database, Query } from '../../../platform/db/database.ts';
import { plainPage } from '../../../platform/http/plain-page.ts';
import type { HttpResponse } from '../../../platform/http/routes.ts';
import type { NetworkLimit } from '../../../platform/limits/rate-limit.ts';
import { createSharedNetworkLimit } from '../../../platform/limits/shared-rate-limit.ts';
import { randomUuid } from '../../../platform/random.ts';
import type { Call } from '../../../resource/call.ts';
import type { Described, ProxyKind } from './forwarded.ts';

/** A request of a test, as the proxy passed it on. */
export interface TestStep {
  /** `check`: whether a request may pass. `start`: the sign-in. `request`: what the mode `proxy` serves. */
  readonly step: 'check' | 'start' | 'request';
  readonly proxy: string;
  readonly peer: string;
  readonly is_trusted: boolean;
  /** Whether the provider of the test protects the host. */
  readonly is_found: boolean;
  readonly missing: readonly string[];
  readonly headers: readonly { readonly name: string; readonly received: string }[];
}

const parameter = 'gatehouse_test';
const pattern = /gatehouse_test(?:=|%3D)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/;
const lifetimeMs = 10 * 60_000;
const maxSteps = 10;
const maxReceived = 200;
const shown = [
  ...['Host', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Forwarded-Uri', 'X-Original-URL'],
  ...['X-Original-URI', 'Forwarded', 'X-Real-IP'],
];

interface FindTest {
  readonly testLookups: NetworkLimit;
}

/** Anyone can send the address of a test, so requests that do are counted; above the limit they are like all others. */
export const createTestLookups = (db: Database): NetworkLimit =>
  createSharedNetworkLimit({ db, name: 'proxy tests', max: 60, windowMs: 60_000 });

/** The test that a request belongs to; null if it belongs to none. */
export async function findTest(
  { testLookups }: FindTest,
  { db, now, request }: Call,
  raw: IncomingMessage,
): Promise<string | null> {
  const test = testIn(raw);
  if (test === null || testLookups.waitAfter(request.clientIp) > 0) return null;
  const { rows } = await sql`select 1 from proxy_tests where pk = ${test} and expires > ${now}`.execute(db.read);
  return rows.length > 0 ? test : null;
}

function testIn({ url = '', headers }: IncomingMessage): string | null {
  for (const text of [url, headers['x-original-url'], headers['x-forwarded-uri'], headers['x-original-uri']]) {
    const found = typeof text === 'string' && text.includes(parameter) ? pattern.exec(text) : null;
    if (found?.[1]) return found[1];
  }
  return null;
}

/** Starts a test. Returns the address to open, for which the proxy sends a check. */
export async function beginTest(tx: Query, provider: number, address: string, now: string) {
  const test = randomUuid();
  await sql`delete from proxy_tests where provider = ${provider}`.execute(tx);
  await sql`insert into proxy_tests (pk, provider, steps, expires)
    values (${test}, ${provider}, '[]', ${addMilliseconds(now, lifetimeMs)})`.execute(tx);
  const url = new URL('/', address);
  url.searchParams.set(parameter, test);
  return { test, url: url.href };
}

/** What came for a test; nothing if it is over, or of another provider. */
export async function readTest(query: Query, provider: number, test: string, now: string): Promise<TestStep[]> {
  const { rows } = await sql<{ steps: string }>`select steps from proxy_tests
    where pk = ${test} and provider = ${provider} and expires > ${now}`.execute(query);
  return rows[0] ? JSON.parse(rows[0].steps) : [];
}

interface Arrived {
  readonly step: TestStep['step'];
  readonly proxy?: ProxyKind;
  readonly raw: IncomingMessage;
  readonly described?: Described;
  /** The provider of the host that the request is for. */
  readonly provider: number | null;
}

/** Notes what came for a test. False if it has ended meanwhile. */
export function noteStep({ db, now, request }: Call, test: string, arrived: Arrived): Promise<boolean> {
  const { step, proxy = '', raw, described, provider } = arrived;
  return db.write(async (tx) => {
    const { rows } = await sql<{ provider: number; steps: string }>`select provider, steps from proxy_tests
      where pk = ${test} and expires > ${now}`.execute(tx);
    const [row] = rows;
    if (!row) return false;
    const steps: TestStep[] = JSON.parse(row.steps);
    const wrong = described && 'wrong' in described ? described.wrong : [];
    const next: TestStep = {
      ...{ step, proxy, peer: raw.socket.remoteAddress ?? '', is_trusted: request.isForwarded },
      is_found: provider === row.provider,
      missing: wrong.map(({ header }) => header).filter((header) => header !== 'peer'),
      headers: shown.flatMap((name) => {
        const received = raw.headersDistinct[name.toLowerCase()];
        return received ? [{ name, received: received.join(', ').slice(0, maxReceived) }] : [];
      }),
    };
    if (steps.length < maxSteps)
      await sql`update proxy_tests set steps = ${JSON.stringify([...steps, next])} where pk = ${test}`.execute(tx);
    return true;
  });
}

/** Where the window of a test ends. */
export const testedPage = async (call: Call): Promise<HttpResponse> =>
  plainPage({
    ...(await frameAtApplication(call)),
    title: 'The reverse proxy leads here',
    paragraphs: ['The result of the test is on the page of the provider. You can close this window.'],
  });
