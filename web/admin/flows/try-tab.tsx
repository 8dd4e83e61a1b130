import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { callApi } from '../../api/client.ts';
import type { FlowDesign, SessionUser } from '../../api/types.ts';
import { Button } from '../../elements/button.tsx';
import { CopyButton } from '../../elements/copy-button.tsx';
import { Waiting } from '../../elements/loading.tsx';
import { Notice } from '../../elements/notice.tsx';
import { type Text, t } from '../../texts/texts.ts';
import { useInterface } from '../api/interface.ts';

const RunPane = lazy(async () => ({ default: (await import('./run-pane.tsx')).RunPane }));

/** The consequences of running a flow for the person who tries it. */
const effects: Readonly<Record<string, Text>> = {
  authentication: 'At the end you are signed in as the user whose name you enter, no longer as yourself.',
  invalidation: 'At its end you are signed out.',
  enrollment: 'It creates an account and signs you in with it.',
  unenrollment: 'It deletes your account.',
  recovery: 'It sends mails, and changes the password of the user whose name you enter.',
};

interface End {
  readonly to: string;
  /** The user of this browser session; null when signed out. */
  readonly username: string | null;
}

/** Runs the flow for real, in a pane. */
export function TryTab({ design }: { design: FlowDesign }) {
  const { user } = useInterface();
  const [run, setRun] = useState(() => (wasRunning(design.slug) ? 1 : 0));
  const [end, setEnd] = useState<End | null>(null);
  const onEnd = useCallback((to: string) => void whoIsIn().then((username) => setEnd({ to, username })), []);
  const address = `${location.origin}/if/flow/${encodeURIComponent(design.slug)}/`;
  const effect = effects[design.designation];
  const isRunning = run > 0 && !end;
  useEffect(() => {
    if (!isRunning) return;
    sessionStorage.setItem(runningKey, design.slug);
    return () => sessionStorage.removeItem(runningKey);
  }, [isRunning, design.slug]);
  return (
    <div className="stack">
      {!isRunning && (
        <section className="card stack" aria-label={t('Try it')}>
          {end ? (
            <Ended end={end} isSame={end.username === user.username} />
          ) : (
            <>
              <p>{t('This runs the real flow, with its inspector beside it. Changes are saved.')}</p>
              {effect && <Notice tone="warn">{t(effect)}</Notice>}
            </>
          )}
          <div className="row">
            <Button
              look="primary"
              onClick={() => {
                if (!isAllowedHere(design.slug)) return beginAnew(design.slug);
                setEnd(null);
                setRun(run + 1);
              }}
            >
              {end ? t('Begin again') : t('Begin')}
            </Button>
            <CopyButton text={address} />
          </div>
          <p className="quiet small">
            {t('To run it without being signed in, open its address in a private window.')} <bdi>{address}</bdi>
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
      <Notice tone="good">{t('The flow redirects to {address}', { address: to })}</Notice>
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

/** Whether this document may load what the flow's own page may. The server decides that when it is opened. */
const isAllowedHere = (slug: string): boolean => document.getElementById('page')?.dataset.triedFlow === slug;

const runningKey = 'gatehouse flow that runs';

/** Opens this page in a document made for the flow, where it begins at once. */
function beginAnew(slug: string): void {
  sessionStorage.setItem(runningKey, slug);
  location.reload();
}

/** Whether the flow was running before this document was loaded: a walk leaves scripts of others behind that way. */
const wasRunning = (slug: string): boolean => isAllowedHere(slug) && sessionStorage.getItem(runningKey) === slug;

async function whoIsIn(): Promise<string | null> {
  try {
    return (await callApi<SessionUser>('GET', '/core/users/me/')).user.username;
  } catch {
    return null;
  }
}
