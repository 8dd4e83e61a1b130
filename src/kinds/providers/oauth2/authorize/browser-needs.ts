import type { AuthorizeNeeds } from '../../../../provider/authorize/needs.ts';
import type { SignOutNeeds } from '../../../../provider/sign-out.ts';
import type { OAuthNeeds } from '../needs.ts';

/** What the endpoints need that people come to with a browser. */
export interface BrowserNeeds extends OAuthNeeds, Omit<AuthorizeNeeds, 'refusals'>, SignOutNeeds {}
