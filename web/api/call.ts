import { known } from '../texts/texts.ts';
import { type Answered, ApiProblem, type Method, type Request, requestApi } from './client.ts';

let isSigningOut = false;

/** The sign-out leads on from this page. A request that fails because the session has ended must not overtake it. */
export function beginSignOut(): void {
  isSigningOut = true;
}

/** Calls the API as the signed-in user. If the session has ended, redirects to the sign-in and back. */
export async function apiRequest<T>(method: Method, path: string, request: Request = {}): Promise<Answered<T>> {
  try {
    return await requestApi<T>(method, path, request);
  } catch (problem) {
    if (!(problem instanceof ApiProblem) || problem.code !== 'not_authenticated') throw problem;
    // Without a session the server redirects this page to the sign-in.
    if (!isSigningOut) location.reload();
    return new Promise(() => {});
  }
}

/** Like `apiRequest`; returns the body of the response. */
export const apiFetch = async <T>(method: Method, path: string, body?: unknown): Promise<T> =>
  (await apiRequest<T>(method, path, { body })).value;

/** The message for the user about an error, translated. */
export function errorMessage(problem: unknown): string {
  if (!(problem instanceof ApiProblem)) return known(problem instanceof Error ? problem.message : String(problem));
  const complaints = Object.values(problem.fields).flat();
  if (complaints.length > 0) return complaints.join(' ');
  const words = known(problem.message);
  return problem.status >= 500 && problem.requestId ? `${words} (${problem.requestId})` : words;
}
