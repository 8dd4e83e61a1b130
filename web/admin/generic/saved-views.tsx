import { Bookmark } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { SavedView } from '../../api/types.ts';
import { Button } from '../../elements/button.tsx';
import { TextField } from '../../elements/field.tsx';
import { Notice } from '../../elements/notice.tsx';
import { Popover } from '../../elements/popover.tsx';
import { useToast } from '../../elements/toast.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { t } from '../../texts/texts.ts';
import { goTo, hereWith, hrefOf, useAddress } from '../address.ts';
import { hrefOfView, savedQueryOf, useSavedViews, viewParameter } from '../api/saved-views.tsx';
import { Link } from '../link.tsx';

/** The saved view that the address names. */
export function useCurrentView(list: string): SavedView | undefined {
  const { query } = useAddress();
  const { views } = useSavedViews();
  return views.find((view) => view.list === list && view.pk === query.get(viewParameter));
}

/** The saved views of a list, to choose from. */
export function SavedViewLinks({ list }: { list: string }) {
  const { views } = useSavedViews();
  const { query } = useAddress();
  const current = useCurrentView(list)?.pk ?? (savedQueryOf(query) === '' ? '' : null);
  const own = views.filter((view) => view.list === list);
  if (own.length === 0) return null;
  return (
    <nav className="row" aria-label={t('Saved views')}>
      {[
        { pk: '', name: t('All'), href: hrefOf(list) },
        ...own.map((view) => ({ ...view, href: hrefOfView(view) })),
      ].map(({ pk, name, href }) => (
        <Link key={pk} className="usual-filter" href={href} aria-current={current === pk ? 'true' : undefined}>
          <bdi>{name}</bdi>
        </Link>
      ))}
    </nav>
  );
}

interface Props {
  readonly list: string;
  /** The columns that are shown now; null for the usual ones. */
  readonly columns: readonly string[] | null;
}

/** Saves what the list shows now as a view, or changes, renames or deletes the one that is shown. */
export function SavedViewsButton(props: Props) {
  const current = useCurrentView(props.list);
  return (
    <Popover label={t('Saved views')} icon={<Bookmark className="icon" aria-hidden="true" />}>
      <ViewForm key={current?.pk} {...props} current={current} />
    </Popover>
  );
}

function ViewForm({ list, columns, current }: Props & { current: SavedView | undefined }) {
  const { query } = useAddress();
  const { create, update, remove } = useSavedViews();
  const [name, setName] = useState(current?.name ?? '');
  const { isBusy, problem, attempt } = useAttempt();
  const announce = useToast();
  const shown = { list, name: name.trim(), query: savedQueryOf(query), columns };
  const saveNew = () =>
    attempt(async () => {
      const view = await create(shown);
      goTo(hereWith({ [viewParameter]: view.pk }));
      announce(t('The view {name} is saved.', { name: view.name }));
    });
  const save = (view: SavedView) =>
    attempt(async () => {
      await update({ ...shown, pk: view.pk });
      announce(t('The view {name} is saved.', { name: shown.name }));
    });
  const drop = (view: SavedView) =>
    attempt(async () => {
      await remove(view);
      goTo(hereWith({ [viewParameter]: null }), { replace: true });
      announce(t('{name} is deleted.', { name: view.name }));
    });
  function submit(event: FormEvent): void {
    event.preventDefault();
    void (current ? save(current) : saveNew());
  }
  return (
    <form className="stack-tight" onSubmit={submit}>
      <p className="quiet small">{t('Keeps the search, filters, order and columns of this list with your account.')}</p>
      <TextField
        label={t('Name of the view')}
        value={name}
        required
        maxLength={100}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      {problem && <Notice tone="bad">{problem}</Notice>}
      <div className="row">
        <Button type="submit" look="primary" isBusy={isBusy}>
          {current ? t('Save changes') : t('Save view')}
        </Button>
        {current && (
          <>
            <Button isBusy={isBusy} onClick={() => void saveNew()}>
              {t('Save as another view')}
            </Button>
            <Button look="quiet" isBusy={isBusy} onClick={() => void drop(current)}>
              {t('Delete view')}
            </Button>
          </>
        )}
      </div>
    </form>
  );
}
