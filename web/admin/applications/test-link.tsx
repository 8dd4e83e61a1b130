import type { ReactNode } from 'react';

/** Where a test sign-in of a provider begins, by its path in the API; null for those that sign nobody in. */
export function testAddress(provider: string): string | null {
  const [, kind, pk] = /^\/providers\/(oauth2|saml)\/(\d+)\/$/.exec(provider) ?? [];
  return kind && pk ? `/application/test-${kind}/${pk}/` : null;
}

/** Goes through the authorization of a provider in a window of its own. */
export function TestLink({ provider, children }: { provider: string; children: ReactNode }) {
  const address = testAddress(provider);
  return address === null ? null : (
    <a className="button button-primary" href={address} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}
