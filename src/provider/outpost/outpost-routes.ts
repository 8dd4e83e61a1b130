import type { RouteServer } from '../../flow/protocol-kind.ts';
import { asObject, isJsonObject, type Json } from '../../lib/json.ts';
import { parseJsonBytes } from '../../lib/parse-json-bytes.ts';
import { Problem } from '../../lib/problem.ts';
import { toErrorResponse } from '../../platform/http/error-response.ts';
import { type HttpCall, type HttpResponse, json, type Routes } from '../../platform/http/routes.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import type { Log } from '../../platform/log.ts';
import type { ProviderKind } from '../provider-kind.ts';
import { createAuthenticateOutpost, type OutpostFacts } from './authenticate-outpost.ts';
import { keepMs } from './outpost-config.ts';
import { readReport, storeReport } from './outpost-instances.ts';
import { relayPath, reportPath } from './outpost-paths.ts';
import { mountOutpostStreams } from './outpost-streams.ts';
import type { Relay } from './relay.ts';
import { type RelayAnswer, readRelayedRequest, relayedAnswer } from './relayed-request.ts';

interface OutpostRoutesNeeds extends RouteServer {
  readonly key: Pick<InstanceKey, 'hash'>;
  readonly log: Log;
  readonly providerKinds: readonly Pick<ProviderKind, 'outpost' | 'relay' | 'streams'>[];
}

const noStore = { 'cache-control': 'no-store' };

/** What the processes of outposts send to the server: that they run, and what came to them. */
export function mountOutposts(
  routes: Routes,
  { key, db, clock, log, providerKinds, ...server }: OutpostRoutesNeeds,
): void {
  const authenticate = createAuthenticateOutpost(key, db);
  const relays = new Map(
    providerKinds.flatMap(({ outpost, relay }) =>
      outpost && relay ? [[outpost, relay({ ...server, db, clock })] as const] : [],
    ),
  );

  const streamsOf = new Map(
    providerKinds.flatMap(({ outpost, streams }) =>
      outpost && streams ? [[outpost, streams({ ...server, db, clock })] as const] : [],
    ),
  );

  async function report(http: HttpCall): Promise<HttpResponse> {
    const now = clock.now();
    const { pk, ...outpost } = await authenticate(http, now);
    const instance = readReport(bodyOf(http));
    // A report that a crash loses is followed by the next.
    await db.write((tx) => storeReport(tx, pk, instance, now), { durable: false });
    return json(200, { name: outpost.name, type: outpost.type, keep_ms: keptBy(outpost) }, noStore);
  }

  async function relay(http: HttpCall): Promise<HttpResponse> {
    const outpost = await authenticate(http, clock.now());
    const handle = relays.get(outpost.type);
    if (!handle) throw new Problem('bad_request', `Outposts of type ${outpost.type} do not relay requests.`);
    const answer = await answerTo(handle, outpost, readRelayedRequest(bodyOf(http)));
    const { fault } = answer.response;
    return {
      ...json(200, { ...relayedAnswer(answer), keep_ms: keptBy(outpost) }, noStore),
      ...(fault !== undefined && { fault }),
    };
  }

  routes.on(['POST'], reportPath, report);
  routes.on(['POST'], relayPath, relay);
  mountOutpostStreams(routes, { db, clock, log, authenticate, streamsOf });
}

const keptBy = ({ config }: Pick<OutpostFacts, 'config'>): number => keepMs(asObject(JSON.parse(config)));

async function answerTo(handle: Relay, outpost: OutpostFacts, http: HttpCall): Promise<RelayAnswer> {
  try {
    return await handle(outpost, http);
  } catch (error) {
    return { response: toErrorResponse(error, http.facts.id) };
  }
}

function bodyOf({ body }: HttpCall): Json {
  try {
    const value = parseJsonBytes(body);
    if (isJsonObject(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Problem('bad_request', 'The request body is not a JSON object.');
}
