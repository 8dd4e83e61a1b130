import type { AuthorizationDependencies } from '../../../../provider/authorize/dependencies.ts';
import type { SignOutNeeds } from '../../../../provider/sign-out.ts';
import type { OAuthDependencies } from '../dependencies.ts';

/** What the endpoints need that people come to with a browser. */
export interface AuthorizeDependencies
  extends OAuthDependencies,
    Omit<AuthorizationDependencies, 'refusals'>,
    SignOutNeeds {}
