import { OAuthError } from './oauth-error.ts';

const maxResources = 20;

/**
 * RFC 8707: what an access token is meant for. Absolute, without a fragment, and where the grant names some, among
 * those; without any, all that the grant names.
 */
export function checkResource(asked: readonly string[], granted?: readonly string[]): readonly string[] {
  if (asked.length > maxResources) throw new OAuthError('invalid_target', 'Too many resources are asked for.');
  for (const resource of asked) {
    const url = URL.parse(resource);
    if (!url || resource.includes('#')) {
      throw new OAuthError('invalid_target', 'A resource is an absolute URI without a fragment.');
    }
    if (granted && !granted.includes(resource)) {
      throw new OAuthError('invalid_target', 'The resource was not authorized.');
    }
  }
  return asked.length === 0 ? (granted ?? []) : [...new Set(asked)];
}
