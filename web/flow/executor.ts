import { callApi, requestOnce } from '../api/client.ts';
import { hasAuthenticatedAgain } from '../api/recent-authentication.ts';
import type { ChallengeTypes } from '../api/types.ts';

export type Answer = Readonly<Record<string, unknown>>;

/** The flow in the page's URL. */
export interface FlowAddress {
  readonly slug: string;
  /**
   * The page's query string: where to go in the end, an invitation. Tabs may share a walk, so the server reads it at
   * each step.
   */
  readonly query: string;
}

export function flowAddress({ pathname, search }: Pick<Location, 'pathname' | 'search'>): FlowAddress {
  const slug = /^\/if\/flow\/([^/]+)\//.exec(pathname)?.[1] ?? '';
  // An empty query would say nothing of where this page leads.
  return { slug: decodeURIComponent(slug), query: search.slice(1) || 'next=' };
}

export const showChallenge = (flow: FlowAddress): Promise<ChallengeTypes> => callApi('GET', pathOf(flow));

/**
 * An answer for which the user had to sign in again is sent once more: that may have restarted the walk, at the same
 * step.
 */
export async function sendAnswer(flow: FlowAddress, answer: Answer): Promise<ChallengeTypes> {
  const send = async () => (await requestOnce<ChallengeTypes>('POST', pathOf(flow), { body: answer })).value;
  try {
    return await send();
  } catch (problem) {
    if (!(await hasAuthenticatedAgain(problem))) throw problem;
    const shown = await showChallenge(flow);
    return shown.component === answer.component ? send() : shown;
  }
}

const pathOf = ({ slug, query }: FlowAddress): string =>
  `/flows/executor/${encodeURIComponent(slug)}/?query=${encodeURIComponent(query)}`;
