import type { AuthorizeNeeds } from '../../../../provider/authorize/needs.ts';
import type { OAuthNeeds } from '../needs.ts';

/** What the endpoints need that people come to with a browser. */
export interface BrowserNeeds extends OAuthNeeds, Omit<AuthorizeNeeds, 'refusals'> {}
