import { callApi } from '../api/client.ts';
import type { Challenge } from './challenge.ts';

export type Answer = Readonly<Record<string, unknown>>;

/** The flow in the page's URL. */
export interface FlowAddress {
  readonly slug: string;
  /** The page's query string: where to go in the end, an invitation. Tabs may share a walk, so the server reads it at each step. */
  readonly query: string;
}

export function flowAddress({ pathname, search }: Pick<Location, 'pathname' | 'search'>): FlowAddress {
  const slug = /^\/if\/flow\/([^/]+)\//.exec(pathname)?.[1] ?? '';
  // An empty query would say nothing of where this page leads.
  return { slug: decodeURIComponent(slug), query: search.slice(1) || 'next=' };
}

export const showChallenge = (flow: FlowAddress): Promise<Challenge> => callApi('GET', pathOf(flow));

export const sendAnswer = (flow: FlowAddress, answer: Answer): Promise<Challenge> =>
  callApi('POST', pathOf(flow), answer);

const pathOf = ({ slug, query }: FlowAddress): string =>
  `/flows/executor/${encodeURIComponent(slug)}/?query=${encodeURIComponent(query)}`;
