import { lazy, Suspense, useCallback, useState } from 'react';
import { callApi } from '../../api/client.ts';
import { Button } from '../../elements/button.tsx';
import { CopyButton } from '../../elements/copy-button.tsx';
import { Waiting } from '../../elements/loading.tsx';
import { Notice } from '../../elements/notice.tsx';
import { type Text, t } from '../../texts/texts.ts';
import { useInterface } from '../api/interface.ts';
import type { Design } from './design.ts';

const RunPane = lazy(async () => ({ default: (await import('./run-pane.tsx')).RunPane }));

/** What walking a flow does to whoever tries it. */
const effects: Readonly<Record<string, Text>> = {
  authentication: 'At its end you are signed in as the person whose name you give, and no longer as yourself.',
  invalidation: 'At its end you are signed out.',
  enrollment: 'It makes an account, and signs you in with it.',
  unenrollment: 'It deletes your account.',
  recovery: 'It sends mails, and changes the password of the person whose name you give.',
};

interface End {
  readonly to: string;
  /** Who is signed in with this browser now; null when nobody is. */
  readonly username: string | null;
}

/** Walks the flow for real, in a pane. */
export function TryTab({ design }: { design: Design }) {
  const { user } = useInterface();
  const [run, setRun] = useState(0);
  const [end, setEnd] = useState<End | null>(null);
  const onEnd = useCallback((to: string) => void whoIsIn().then((username) => setEnd({ to, username })), []);
  const address = `${location.origin}/if/flow/${encodeURIComponent(design.slug)}/`;
  const effect = effects[design.designation];
  const isRunning = run > 0 && !end;
  return (
    <div className="stack">
      {!isRunning && (
        <section className="card stack" aria-label={t('Try it')}>
          {end ? (
            <Ended end={end} isSame={end.username === user.username} />
          ) : (
            <>
              <p>{t('You walk the flow as people do, with its inspector beside it. All of it is real.')}</p>
              {effect && <Notice tone="warn">{t(effect)}</Notice>}
            </>
          )}
          <div className="row">
            <Button
              look="primary"
              onClick={() => {
                setEnd(null);
                setRun(run + 1);
              }}
            >
              {end ? t('Begin again') : t('Begin')}
            </Button>
            <CopyButton text={address} />
          </div>
          <p className="quiet small">
            {t('To walk it as somebody who is not signed in, copy its address into a private window.')}{' '}
            <bdi>{address}</bdi>
          </p>
        </section>
      )}
      {isRunning && (
        <Suspense fallback={<Waiting />}>
          <RunPane key={run} slug={design.slug} onEnd={onEnd} />
        </Suspense>
      )}
    </div>
  );
}

function Ended({ end: { to, username }, isSame }: { end: End; isSame: boolean }) {
  return (
    <>
      <Notice tone="good">{t('The flow leads on to {address}', { address: to })}</Notice>
      {!isSame && (
        <Notice tone="warn">
          <div className="row">
            <p>
              {username === null
                ? t('You are signed out now.')
                : t('You are signed in as {username} now.', { username })}
            </p>
            <Button onClick={() => location.reload()}>{t('Load the page again')}</Button>
          </div>
        </Notice>
      )}
    </>
  );
}

async function whoIsIn(): Promise<string | null> {
  try {
    return (await callApi<{ user: { username: string } }>('GET', '/core/users/me/')).user.username;
  } catch {
    return null;
  }
}
