import { ApiProblem, callApi, type Method } from '../api/client.ts';

/** Calls the API as the person whose page this is. When their session has ended, they sign in and come back. */
export async function callAsPerson<T>(method: Method, path: string, body?: unknown): Promise<T> {
  try {
    return await callApi<T>(method, path, body);
  } catch (problem) {
    if (!(problem instanceof ApiProblem) || problem.code !== 'not_authenticated') throw problem;
    // Without a session the server redirects this page to the sign-in.
    location.reload();
    return new Promise(() => {});
  }
}

/** What to tell a person of something that went wrong. */
export function wordsOf(problem: unknown): string {
  if (!(problem instanceof ApiProblem)) return problem instanceof Error ? problem.message : String(problem);
  const complaints = Object.values(problem.fields).flat();
  if (complaints.length > 0) return complaints.join(' ');
  return problem.status >= 500 && problem.requestId ? `${problem.message} (${problem.requestId})` : problem.message;
}
