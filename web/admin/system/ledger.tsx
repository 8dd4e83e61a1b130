import { use, useCallback, useState } from 'react';
import { apiFetch } from '../../api/call.ts';
import type { SyncLedger, SyncObjectResult } from '../../api/types.ts';
import { Button } from '../../elements/button.tsx';
import { Code } from '../../elements/code.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { DialogButtons } from '../../elements/dialog-buttons.tsx';
import { Loaded, useLoadable } from '../../elements/loading.tsx';
import { Moment } from '../../elements/moment.tsx';
import { Notice } from '../../elements/notice.tsx';
import { Segments } from '../../elements/segments.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { t } from '../../texts/texts.ts';
import { goTo, hereWith, hrefOf, useAddress } from '../address.ts';
import type { Names } from '../api/objects.ts';
import { PagesContext } from '../api/pages.ts';
import { Link } from '../link.tsx';
import type { SyncProvider } from './maintenance.ts';

/** `sync/ledger`: an object, and how it was sent last. Secrets in requests are masked by the server. */
type Entry = SyncLedger['results'][number];

const pageSize = 100;
const modelOf = ({ user }: Entry) => (user === null ? 'svc_core.group' : 'svc_core.user');
const keyOf = ({ user, group }: Entry) => String(user ?? group);

/** The objects of one provider. */
export function Ledger({ provider: { pk, name, path } }: { provider: SyncProvider }) {
  const { query } = useAddress();
  const state = query.get('state') ?? 'all';
  const after = query.get('after') ?? '';
  const pages = use(PagesContext);
  const read = useLoadable(
    useCallback(async () => {
      const question = new URLSearchParams({ state, ...(after && { after }) });
      const { answer, names } = await pages.read<SyncLedger>(`${path}${pk}/sync/ledger/?${question}`);
      return { entries: answer.results, names };
    }, [pages, path, pk, state, after]),
  );
  const last = read.answer.state === 'ready' ? read.answer.value.entries.at(-1) : undefined;
  const isFull = read.answer.state === 'ready' && read.answer.value.entries.length === pageSize;
  return (
    <section className="stack" aria-labelledby="ledger-title">
      <h2 id="ledger-title">{t('What was sent to {name}', { name })}</h2>
      <div className="row">
        <Segments
          label={t('Which objects')}
          value={state}
          choices={[
            ['all', t('All')],
            ['outstanding', t('Outstanding')],
            ['failed', t('Failed')],
          ]}
          onChange={(chosen) => goTo(hereWith({ state: chosen === 'all' ? null : chosen, after: null }))}
        />
      </div>
      <Loaded {...read}>
        {({ entries, names }) =>
          entries.length === 0 ? (
            <p className="empty">{t('There are no such objects.')}</p>
          ) : (
            <ul className="rows">
              {entries.map((entry) => (
                <EntryRow key={entry.id} entry={entry} names={names} at={`${path}${pk}/`} reload={read.reload} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {isFull && last && (
        <div className="row">
          <Link className="button" href={hereWith({ after: last.id })}>
            {t('More')}
          </Link>
        </div>
      )}
    </section>
  );
}

interface RowProps {
  readonly entry: Entry;
  readonly names: Names;
  /** The path of the provider. */
  readonly at: string;
  reload(): Promise<void>;
}

type Message = SyncObjectResult['messages'][number];

function EntryRow({ entry, names, at, reload }: RowProps) {
  const [told, setTold] = useState<{ title: string; messages: readonly Message[] } | null>(null);
  const { isBusy, problem, attempt } = useAttempt();
  const object = names(modelOf(entry), keyOf(entry));
  const name = object?.name ?? keyOf(entry);
  const send = (isTrial: boolean) =>
    attempt(async () => {
      const { messages } = await apiFetch<SyncObjectResult>(
        'POST',
        `${at}sync/object/${isTrial ? '?dry_run=true' : ''}`,
        {
          sync_object_model: entry.user === null ? 'svc.core.models.Group' : 'svc.core.models.User',
          sync_object_id: keyOf(entry),
        },
      );
      setTold({
        title: isTrial ? t('What would be sent for {name}', { name }) : t('Sent: {name}', { name }),
        messages,
      });
      if (!isTrial) await reload();
    });
  return (
    <li className="rows-row">
      <State entry={entry} />
      <div className="rows-text">
        {object ? <Link href={hrefOf(object.path)}>{name}</Link> : name}
        {entry.error && <p className="quiet small">{entry.error}</p>}
        {problem && <Notice tone="bad">{problem}</Notice>}
        {entry.requests.length > 0 && (
          <details>
            <summary className="small">{t('Last requests and responses')}</summary>
            <Code text={JSON.stringify(entry.requests, null, 2)} />
          </details>
        )}
      </div>
      {entry.last_sent && (
        <span className="quiet small">
          <Moment at={entry.last_sent} />
        </span>
      )}
      <div className="row">
        <Button look="quiet" isBusy={isBusy} onClick={() => void send(true)}>
          {t('Try')}
          <span className="visually-hidden"> {name}</span>
        </Button>
        <Button isBusy={isBusy} onClick={() => void send(false)}>
          {t('Send now')}
          <span className="visually-hidden"> {name}</span>
        </Button>
      </div>
      {told && <Messages {...told} onClose={() => setTold(null)} />}
    </li>
  );
}

function State({ entry: { error, outstanding } }: { entry: Entry }) {
  if (error) return <span className="tag tag-alert">{t('Failed')}</span>;
  if (outstanding > 0) return <span className="tag tag-warning">{t('Outstanding')}</span>;
  return <span className="tag tag-good">{t('In sync')}</span>;
}

function Messages({ title, messages, onClose }: { title: string; messages: readonly Message[]; onClose(): void }) {
  const shown = messages.map(({ event, attributes }) =>
    Object.keys(attributes).length > 0 ? `${event}\n${JSON.stringify(attributes, null, 2)}` : event,
  );
  return (
    <Dialog title={title} onClose={onClose} isWide>
      {shown.length === 0 ? <p>{t('Nothing has to be sent.')}</p> : <Code text={shown.join('\n\n')} />}
      <DialogButtons leave={t('Close')} onLeave={onClose} />
    </Dialog>
  );
}
