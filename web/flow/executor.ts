import { callApi } from '../api/client.ts';
import type { Challenge } from './challenge.ts';

export type Answer = Readonly<Record<string, unknown>>;

/** The flow in the page's URL. */
export interface FlowAddress {
  readonly slug: string;
  /** The page's query string: where to go in the end, an invitation. The server reads it when the walk begins. */
  readonly query: string;
}

export function flowAddress({ pathname, search }: Pick<Location, 'pathname' | 'search'>): FlowAddress {
  const slug = /^\/if\/flow\/([^/]+)\//.exec(pathname)?.[1] ?? '';
  return { slug: decodeURIComponent(slug), query: search.slice(1) };
}

export const showChallenge = (flow: FlowAddress): Promise<Challenge> => callApi('GET', pathOf(flow));

export const sendAnswer = (flow: FlowAddress, answer: Answer): Promise<Challenge> =>
  callApi('POST', pathOf(flow), answer);

const pathOf = ({ slug, query }: FlowAddress): string =>
  `/flows/executor/${encodeURIComponent(slug)}/?query=${encodeURIComponent(query)}`;
