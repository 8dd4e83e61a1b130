// Some operations take a session whose user has authenticated a moment ago. The page asks the user to sign in again in
// another window, so that nothing on it is lost, and repeats the request.

/** Asks the user to sign in again at this address. Returns whether they have. */
type AskUser = (authenticateUrl: string) => Promise<boolean>;

let askUser: AskUser | null = null;

/** Set by the page's own dialog (`elements/authenticating-again.tsx`). */
export function onAuthenticationRequired(ask: AskUser | null): void {
  askUser = ask;
}

/** Whether a request was refused for the lack of recent authentication, and the user has made up for it. */
export async function hasAuthenticatedAgain(problem: unknown): Promise<boolean> {
  // An `ApiProblem`, whose module imports this one.
  const { authenticateUrl } = problem as { readonly authenticateUrl?: string };
  return authenticateUrl && askUser ? askUser(authenticateUrl) : false;
}

/** The page that the window of the sign-in comes back to. */
export const authenticatedPath = '/if/user/authenticated/';

const channelName = 'gatehouse authenticated';

export const openChannel = (): BroadcastChannel => new BroadcastChannel(channelName);
