import { useState } from 'react';
import { callAsPerson, wordsOf } from '../api/call.ts';
import { Button } from '../elements/button.tsx';
import { home } from './navigation.tsx';
import { nameOf, type Person } from './person.ts';

/** Shown during impersonation: whose account this is, and how to end it. */
export function ImpersonationBanner({ person, original }: { person: Person; original: Person }) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  async function end(): Promise<void> {
    setBusy(true);
    try {
      await callAsPerson('GET', '/core/users/impersonate_end/');
      location.assign(home);
    } catch (caught) {
      setProblem(wordsOf(caught));
      setBusy(false);
    }
  }

  return (
    <aside className="impersonation" aria-label="Impersonation">
      <p>
        You ({original.username}) act as <strong>{nameOf(person)}</strong> ({person.username}).
        {problem && <span role="alert"> {problem}</span>}
      </p>
      <Button isBusy={isBusy} onClick={end}>
        End impersonation
      </Button>
    </aside>
  );
}
