import { Columns3 } from 'lucide-react';
import { useState } from 'react';
import type { SavedView } from '../../api/types.ts';
import { CheckboxField } from '../../elements/choice.tsx';
import { Popover } from '../../elements/popover.tsx';
import { t } from '../../texts/texts.ts';
import type { Description } from '../api/description.ts';
import type { Member } from '../api/document.ts';
import { isTechnical } from './technical.ts';

interface Columns {
  readonly names: readonly string[];
  /** Null while they are those that the server names. */
  readonly chosen: readonly string[] | null;
  /** Null for those that the server names. */
  choose(names: readonly string[] | null): void;
}

/** The columns of a list: those of the saved view that it shows, else those that this browser remembers. */
export function useColumns(path: string, { columns, shown }: Description, view: SavedView | undefined): Columns {
  const key = `gatehouse:columns:${path}`;
  const [stored, setStored] = useState(() => localStorage.getItem(key));
  // Until they are saved in the view, they are for this visit.
  const [inView, setInView] = useState<{ readonly pk: string; readonly names: readonly string[] | null } | null>(null);
  const ofView = inView && inView.pk === view?.pk ? inView.names : view?.columns;
  const wanted = (view ? ofView : stored?.split(',')) ?? [];
  const known = wanted.filter((name) => shown.some((member) => member.name === name));
  const chosen = known.length > 0 ? known : null;
  return {
    names: chosen ?? columns,
    chosen,
    choose(names) {
      if (view) return setInView({ pk: view.pk, names });
      if (names) localStorage.setItem(key, names.join(','));
      else localStorage.removeItem(key);
      setStored(names?.join(',') ?? null);
    },
  };
}

/** What fits into a cell, and is for people. */
const isColumn = (member: Member): boolean =>
  !isTechnical(member) &&
  !['json', 'expression', 'secret', 'file'].includes(member.note.kind) &&
  !/_obj$|^(attributes|avatar|verbose_name_plural|meta_model_name)$/.test(member.name);

interface Props extends Columns {
  readonly description: Description;
}

/** The first column stays: it has the name and the link. */
export function ColumnsButton({ description: { columns, shown }, names, choose }: Props) {
  const [first = ''] = columns;
  const offered = shown.filter(
    (member) => member.name !== first && (isColumn(member) || columns.includes(member.name)),
  );
  if (offered.length === 0) return null;
  const toggle = (name: string) =>
    choose(names.includes(name) ? names.filter((one) => one !== name) : [...names, name]);
  return (
    <Popover label={t('Columns')} icon={<Columns3 className="icon" />}>
      <fieldset className="columns-choice" aria-label={t('Columns')}>
        {offered.map(({ name, note }) => (
          <CheckboxField key={name} label={note.label} checked={names.includes(name)} onChange={() => toggle(name)} />
        ))}
      </fieldset>
      <button type="button" className="button button-quiet" onClick={() => choose(null)}>
        {t('Reset to the usual columns')}
      </button>
    </Popover>
  );
}
