import { known } from '../texts/texts.ts';
import { type Answered, ApiProblem, type Method, type Request, requestApi } from './client.ts';

/** Calls the API as the person whose page this is. When their session has ended, they sign in and come back. */
export async function requestAsPerson<T>(method: Method, path: string, request: Request = {}): Promise<Answered<T>> {
  try {
    return await requestApi<T>(method, path, request);
  } catch (problem) {
    if (!(problem instanceof ApiProblem) || problem.code !== 'not_authenticated') throw problem;
    // Without a session the server redirects this page to the sign-in.
    location.reload();
    return new Promise(() => {});
  }
}

/** The body of the answer. */
export const callAsPerson = async <T>(method: Method, path: string, body?: unknown): Promise<T> =>
  (await requestAsPerson<T>(method, path, { body })).value;

/** What to tell a person of something that went wrong. */
export function wordsOf(problem: unknown): string {
  if (!(problem instanceof ApiProblem)) return known(problem instanceof Error ? problem.message : String(problem));
  const complaints = Object.values(problem.fields).flat();
  if (complaints.length > 0) return complaints.join(' ');
  const words = known(problem.message);
  return problem.status >= 500 && problem.requestId ? `${words} (${problem.requestId})` : words;
}
