import { Problem } from '../../../lib/problem.ts';
import { createRouter } from '../../../platform/http/router.ts';
import { anyMethod, withHead } from '../../../platform/http/routes.ts';
import type { Relay } from '../../../provider/outpost/relay.ts';
import { callOf } from '../../../resource/call.ts';
import { isOwnPath } from './auth-routes.ts';
import { decideProxied } from './hosted.ts';
import type { ProxyNeeds } from './needs.ts';
import { hostRoutes } from './routes.ts';
import { unknownHostPage } from './wrong-headers.ts';

/** Serves requests that came to outposts, as if they had come here, but for the providers of the outpost alone. */
export function proxyRelay(shared: ProxyNeeds): Relay {
  const router = createRouter<(typeof hostRoutes)[number]['handle']>();
  for (const { methods, path, handle } of hostRoutes)
    for (const method of withHead(methods)) router.add(method, path, handle);

  return async (outpost, http) => {
    const needs = { ...shared, outpost };
    const { method, path } = http.facts;
    if (isOwnPath(path)) {
      const match = router.find(path);
      const handle = match?.methods.get(method) ?? match?.methods.get(anyMethod);
      if (!handle) throw new Problem(match ? 'method_not_allowed' : 'not_found');
      const { reuse, ...response } = await handle(needs, http);
      return { response, ...(reuse && { reuse }) };
    }
    const decided = await decideProxied(needs, http);
    if (decided !== null && 'status' in decided) return { response: decided };
    if (decided === null) return { response: await unknownHostPage(callOf(http, needs, { now: needs.clock.now() })) };
    const { internal_host, internal_host_ssl_validation } = decided.provider;
    const passed = {
      outcome: decided.outcome,
      provider: { internal_host, internal_host_ssl_validation },
      ...(decided.outcome === 'allowed' && { headers: decided.headers, isProgram: decided.isProgram }),
    };
    return {
      response: { status: 502 },
      pass: passed,
      reuse: decided.outcome === 'allowed' ? 'session' : 'path',
    };
  };
}
