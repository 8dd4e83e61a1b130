import type { Hosted, HostedRequest } from '../../../platform/http/hosted.ts';
import type { HttpResponse } from '../../../platform/http/routes.ts';
import type { Upstream, Upstreams } from '../../../platform/http/upstream.ts';

/** Decides about a request: forwards it or returns a response. `sent` is the status that the client got. */
type Route = (
  request: HostedRequest,
  forward: (upstream: Upstream) => Promise<void>,
  sent: () => number,
) => Promise<HttpResponse | null>;

/** Requests and upgrades take the same route, and differ in how they are forwarded. */
export const forwardBy = (upstreams: Upstreams, route: Route): Pick<Hosted, 'serve' | 'upgrade'> => ({
  serve: ({ response, ...request }) =>
    route(
      request,
      (upstream) => upstreams.forward(request.raw, response, upstream),
      () => response.statusCode,
    ),
  upgrade: ({ socket, head, ...request }) =>
    route(
      request,
      (upstream) => upstreams.upgrade(request.raw, socket, head, upstream),
      () => 101,
    ),
});
