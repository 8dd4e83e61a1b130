import { apiFetch } from '../../api/call.ts';
import { Button } from '../../elements/button.tsx';
import { Moment } from '../../elements/moment.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useToast } from '../../elements/toast.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { t } from '../../texts/texts.ts';
import { hereWith, hrefOf, useAddress } from '../address.ts';
import { kindName } from '../labels.ts';
import { Link } from '../link.tsx';
import { Ledger } from './ledger.tsx';
import type { SyncProvider, TabProps } from './maintenance.ts';

/** Providers that push users and groups elsewhere; of a chosen one, what was sent of each object. */
export function Provisioning({ found: { sync }, reload }: TabProps) {
  const { query } = useAddress();
  const chosen = sync.find(({ pk }) => String(pk) === query.get('provider'));
  if (sync.length === 0) return <p className="empty">{t('No provider sends users or groups elsewhere.')}</p>;
  return (
    <>
      <div className="system-sync">
        {sync.map((provider) => (
          <Card key={provider.pk} provider={provider} isChosen={provider === chosen} reload={reload} />
        ))}
      </div>
      {chosen?.may_change && <Ledger key={chosen.pk} provider={chosen} />}
    </>
  );
}

interface CardProps {
  readonly provider: SyncProvider;
  readonly isChosen: boolean;
  reload(): Promise<void>;
}

function Card({ provider, isChosen, reload }: CardProps) {
  const { pk, name, type, path, run, may_change } = provider;
  const { isBusy, problem, attempt } = useAttempt();
  const done = useToast();
  const syncNow = () =>
    attempt(async () => {
      await apiFetch('POST', `${path}${pk}/sync/run/`);
      await reload();
      done(t('All users and groups are sent to {name}.', { name }));
    });
  return (
    <section className="card stack-tight" aria-label={name} data-chosen={isChosen || undefined}>
      <h2>
        <Link href={hrefOf(`${path}${pk}/`)}>{name}</Link>
      </h2>
      <p className="quiet small">{kindName(type)}</p>
      {!provider.is_assigned && <Notice tone="warn">{t('No application uses it, so nothing is sent.')}</Notice>}
      {provider.message && <Notice tone="bad">{provider.message}</Notice>}
      <p>
        {t('{outstanding, number} outstanding, {failed, number} failed', {
          outstanding: provider.outstanding,
          failed: provider.failed,
        })}
      </p>
      {run && <Run name={name} run={run} />}
      {provider.last_successful && (
        <p className="quiet small">
          {t('Last complete:')} <Moment at={provider.last_successful} />
        </p>
      )}
      {problem && <Notice tone="bad">{problem}</Notice>}
      {may_change && (
        <div className="row">
          {provider.is_assigned && (
            <Button isBusy={isBusy} onClick={syncNow}>
              {t('Sync now')}
            </Button>
          )}
          <Link className="button button-quiet" href={hereWith({ provider: String(pk), state: null, after: null })}>
            {t('Objects')}
          </Link>
        </div>
      )}
    </section>
  );
}

const states = { running: 'Running:', failed: 'The last run failed:', done: 'Last run:' } as const;

function Run({ name, run }: { name: string; run: NonNullable<SyncProvider['run']> }) {
  const { state, done, left, failed } = run;
  return (
    <div className="stack-tight">
      <p className="small">
        {t(states[state])}{' '}
        {t('{done, number} done, {left, number} left, {failed, number} failed', { done, left, failed })}
      </p>
      {state === 'running' && (
        <progress value={done + failed} max={done + failed + left || 1} aria-label={t('Sync of {name}', { name })} />
      )}
      {run.message && <p className="quiet small">{run.message}</p>}
    </div>
  );
}
