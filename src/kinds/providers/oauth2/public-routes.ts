import { maxPushBytes, pushEndpoint } from './authorize/push-request.ts';
import type { OAuthDependencies } from './dependencies.ts';
import { deviceAuthorizationEndpoint } from './device/device-authorization.ts';
import { discoveryEndpoint, globalDiscoveryEndpoint } from './discovery.ts';
import { globalJwksEndpoint } from './global-keys.ts';
import type { Route } from './oauth-request.ts';
import { pathsOf } from './urls.ts';
import { webFingerEndpoint } from './webfinger.ts';

const applications = '/application/o/';

/** Endpoints without a user: discovery, keys and authorization requests. */
export function publicRoutes(needs: OAuthDependencies): readonly Route[] {
  const discovery = discoveryEndpoint(needs);
  const globalDiscovery = globalDiscoveryEndpoint(needs);
  const [push, device] = [pushEndpoint(needs), deviceAuthorizationEndpoint(needs)];
  return [
    [['GET'], '{slug}/.well-known/openid-configuration', discovery],
    // RFC 8414 §3.1: between the host and the issuer's path.
    [['GET'], `/.well-known/oauth-authorization-server${applications}{slug}`, discovery],
    [['GET'], `/.well-known/oauth-authorization-server${applications}{slug}/`, discovery],
    [['GET'], '/.well-known/openid-configuration', globalDiscovery],
    [['GET'], '/.well-known/oauth-authorization-server', globalDiscovery],
    [['GET'], '/.well-known/webfinger', webFingerEndpoint(needs)],
    [['GET'], 'jwks/', globalJwksEndpoint(needs)],
    ...pathsOf('par/').map((path): Route => [['POST'], path, push, maxPushBytes]),
    ...pathsOf('device/').map((path): Route => [['POST'], path, device]),
  ];
}
