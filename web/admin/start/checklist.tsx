import { type ReactNode, useState } from 'react';
import { apiFetch, errorMessage } from '../../api/call.ts';
import { Button } from '../../elements/button.tsx';
import { Notice } from '../../elements/notice.tsx';
import { Rich } from '../../texts/rich.tsx';
import { type Text, t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import { useInterface } from '../api/interface.ts';
import { Link } from '../link.tsx';
import { BackupButton } from './backup.tsx';
import type { ChecklistItem, StepName } from './overview.ts';
import { SendTestMail } from './send-test-mail.tsx';

interface Step {
  readonly title: Text;
  readonly why: Text;
  /** What leads there, where a page does. */
  readonly Way?: () => ReactNode;
}

const Account = ({ href, text }: { href: string; text: Text }) => (
  <a className="button" href={href}>
    {t(text)}
  </a>
);

const steps: Readonly<Record<StepName, Step>> = {
  password: {
    title: 'Choose your own password',
    why: 'The one that was printed at the first start may be in a log.',
    Way: () => <Account href="/if/user/password/" text="Change your password" />,
  },
  second_factor: {
    title: 'Add a second factor',
    why: 'A passkey or an authenticator app keeps your account safe when the password leaks.',
    Way: () => <Account href="/if/user/devices/" text="Add a second factor" />,
  },
  public_address: {
    title: 'Set the public address',
    why: 'Links, redirects and passkeys use it.',
    Way: ServerSettings,
  },
  mail: {
    title: 'Set up mail',
    why: 'For recovery links and notifications.',
    Way: ServerSettings,
  },
  application: {
    title: 'Connect your first application',
    why: 'People sign in to it with their account here.',
    Way: () => <ConnectApplication />,
  },
  second_administrator: {
    title: 'Add a second administrator',
    why: 'So that one lost account does not lock everybody out.',
    Way: SuperuserGroups,
  },
  backup: {
    title: 'Make a backup',
    why: 'Run <code>npm run gatehouse -- backup --to FILE</code>, ideally every day. Backups by other means are not seen here.',
    Way: BackupButton,
  },
};

const ConnectApplication = () => (
  <Link className="button" href={hrefOf('/applications/new/')}>
    {t('Connect an application')}
  </Link>
);

function ServerSettings() {
  return (
    <Link className="button" href={hrefOf('/admin/settings/', { tab: 'server' })}>
      {t('Go to settings')}
    </Link>
  );
}

function SuperuserGroups() {
  return (
    <Link className="button" href={hrefOf('/core/groups/', { is_superuser: 'true' })}>
      {t('Go to groups of administrators')}
    </Link>
  );
}

/** What is left to set up. Hidden once everything is done or dismissed. */
export function Checklist({ items: given }: { items: readonly ChecklistItem[] }) {
  const [items, setItems] = useState(given);
  const [problem, setProblem] = useState<string | null>(null);
  const { acting } = useInterface();
  const shown = items.filter(({ is_dismissed }) => !is_dismissed);
  const done = shown.filter(({ is_done }) => is_done);
  async function dismiss(dismissed: readonly StepName[]): Promise<void> {
    try {
      setItems(await apiFetch('PUT', '/admin/overview/checklist/', { dismissed }));
      setProblem(null);
    } catch (caught) {
      setProblem(errorMessage(caught));
    }
  }
  const hidden = items.filter(({ is_dismissed }) => is_dismissed).map(({ name }) => name);
  if (shown.length === done.length) return null;
  return (
    <section className="card stack" aria-labelledby="start-checklist">
      <div className="page-head-row">
        <h2 id="start-checklist">{t('Set up this server')}</h2>
        <p className="quiet" role="status">
          {t('{done, number} of {all, number} done', { done: done.length, all: shown.length })}
        </p>
      </div>
      <progress className="start-progress" value={done.length} max={shown.length} aria-labelledby="start-checklist" />
      {problem && <Notice tone="bad">{problem}</Notice>}
      <ul className="checklist">
        {shown.map((item) => (
          <Item
            key={item.name}
            item={item}
            canDismiss={acting === null}
            onDismiss={() => dismiss([...hidden, item.name])}
          />
        ))}
      </ul>
      {hidden.length > 0 && (
        <p>
          <Button look="quiet" onClick={() => dismiss([])}>
            {t('Show {count, plural, one {# dismissed item} other {# dismissed items}}', { count: hidden.length })}
          </Button>
        </p>
      )}
    </section>
  );
}

interface ItemProps {
  readonly item: ChecklistItem;
  readonly canDismiss: boolean;
  onDismiss(): void;
}

function Item({ item: { name, is_done }, canDismiss, onDismiss }: ItemProps) {
  const { title, why, Way } = steps[name];
  return (
    <li className="checklist-item" data-done={is_done || undefined}>
      <span className="checklist-mark" aria-hidden="true">
        {is_done ? '✓' : ''}
      </span>
      <div className="rows-text">
        <p>
          <strong>{t(title)}</strong>
          {is_done && <span className="visually-hidden">{t(', done')}</span>}
        </p>
        {!is_done && (
          <p className="quiet small">
            <Rich text={why} values={{ code: (words) => <code>{words}</code> }} />
          </p>
        )}
      </div>
      <div className="row">
        {is_done && name === 'mail' && <SendTestMail />}
        {!is_done && Way && <Way />}
        {!is_done && canDismiss && (
          <Button look="quiet" onClick={onDismiss} aria-label={t('Dismiss: {title}', { title: t(title) })}>
            {t('Dismiss')}
          </Button>
        )}
      </div>
    </li>
  );
}
