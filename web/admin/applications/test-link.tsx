import type { ReactNode } from 'react';

/** The start of a test sign-in, by the API path of the provider; null if it has no sign-in. */
export function testAddress(provider: string): string | null {
  const [, kind, pk] = /^\/providers\/(oauth2|saml)\/(\d+)\/$/.exec(provider) ?? [];
  return kind && pk ? `/application/test-${kind}/${pk}/` : null;
}

/** Starts a test sign-in in a new window. */
export function TestLink({ provider, children }: { provider: string; children: ReactNode }) {
  const address = testAddress(provider);
  return address === null ? null : (
    <a className="button button-primary" href={address} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}
