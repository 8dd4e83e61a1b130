import { apiFetch } from '../api/call.ts';
import { Button } from '../elements/button.tsx';
import { useAttempt } from '../elements/use-attempt.ts';
import { Rich } from '../texts/rich.tsx';
import { t } from '../texts/texts.ts';
import { home } from './navigation.tsx';
import { nameOf, type Person } from './person.ts';

/** Shown during impersonation: whose account this is, and how to end it. */
export function ImpersonationBanner({ person, original }: { person: Person; original: Person }) {
  const { isBusy, problem, attempt } = useAttempt();
  const end = () =>
    attempt(async () => {
      await apiFetch('GET', '/core/users/impersonate_end/');
      location.assign(home);
    });

  return (
    <aside className="impersonation" aria-label={t('Impersonation')}>
      <p>
        <Rich
          text="You ({you}) act as <b>{name}</b> ({username})."
          values={{
            you: <bdi>{original.username}</bdi>,
            name: <bdi>{nameOf(person)}</bdi>,
            username: <bdi>{person.username}</bdi>,
            b: (parts) => <strong>{parts}</strong>,
          }}
        />
        {problem && <span role="alert"> {problem}</span>}
      </p>
      <Button isBusy={isBusy} onClick={end}>
        {t('End impersonation')}
      </Button>
    </aside>
  );
}
