import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react';
import { onAuthenticationRequired } from '../api/recent-authentication.ts';

const AuthenticatingAgain = lazy(async () => ({
  default: (await import('../elements/authenticating-again.tsx')).AuthenticatingAgain,
}));

interface Asked {
  readonly url: string;
  /** One for each request that waits. */
  readonly waiting: readonly ((hasAuthenticated: boolean) => void)[];
}

/** Shows the dialog in which users sign in again when an operation takes that. */
export function Authentication({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  useEffect(() => {
    onAuthenticationRequired(
      (url) =>
        new Promise((resolve) => {
          setAsked((before) => ({ url, waiting: [...(before?.waiting ?? []), resolve] }));
        }),
    );
    return () => onAuthenticationRequired(null);
  }, []);
  const end = useCallback((hasAuthenticated: boolean) => {
    setAsked((before) => {
      for (const resolve of before?.waiting ?? []) resolve(hasAuthenticated);
      return null;
    });
  }, []);
  return (
    <>
      {children}
      {asked && (
        <Suspense fallback={null}>
          <AuthenticatingAgain url={asked.url} onEnd={end} />
        </Suspense>
      )}
    </>
  );
}
