import { t } from '../../texts/texts.ts';
import '../widgets/picker.css';
import './palette.css';
import { useCombobox } from 'downshift';
import { useEffect, useMemo, useState } from 'react';
import { Dialog } from '../../elements/dialog.tsx';
import { goTo, hereWith, hrefOf } from '../address.ts';
import { useInterface } from '../api/interface.ts';
import { findObjects } from '../api/objects.ts';
import { useSavedViews } from '../api/saved-views.tsx';
import { useDialog } from '../use-dialog.ts';
import { passEscape } from '../widgets/pass-escape.ts';
import { useKey } from './keys.ts';
import { fits, type Hit, isAboutNew, listsWith, placesOf } from './palette-places.ts';
import { recentObjects } from './recent.ts';

/** The command palette: finds pages, actions and objects. */
export function Palette() {
  const { isOpen, open, close } = useDialog('search');
  useKey('k', true, open);
  useKey('/', false, open);
  if (!isOpen) return null;
  return (
    <Dialog title={t('Search')} onClose={close}>
      <Search />
    </Dialog>
  );
}

const maxShown = 12;
const maxObjects = 20;

function Search() {
  const known = useInterface();
  const { views } = useSavedViews();
  const places = useMemo(() => placesOf(known, views), [known, views]);
  const [text, setText] = useState('');
  const { of, hits: objects } = useObjects(text);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = places.filter((place) => fits(place, words));
  const isCalledSo = ({ title }: Hit) => fits({ id: '', kind: '', title }, words);
  const others = matching.filter((place) => !isCalledSo(place));
  const isAction = ({ kind }: Hit) => kind === t('Action');
  // By another word, an action is more likely meant than the page about it.
  const byWord = words.length === 0 ? others : [...others.filter(isAction), ...others.filter((hit) => !isAction(hit))];
  const fitting = [...matching.filter(isCalledSo), ...byWord];
  // Not before the answer is there: Enter would lead to a list while the object is on its way.
  const lists = of !== text || text.trim().length < 2 ? [] : listsWith(text.trim(), known, objects.length === 0);
  const isOffered = isAboutNew(text) && lists.some(({ id }) => id === 'connect');
  const recent = useMemo(
    () =>
      recentObjects(known.user.pk).map(({ path, title, kind }) => ({
        ...{ id: `recent ${path}`, title, kind, href: hrefOf(path) },
      })),
    [known],
  );
  const hits = [
    ...(words.length === 0 ? recent : []),
    ...fitting.slice(0, objects.length > 0 ? 4 : maxShown),
    ...objects.slice(0, maxObjects),
    ...lists,
  ];
  const { getInputProps, getMenuProps, getItemProps, getLabelProps, highlightedIndex } = useCombobox<Hit>({
    items: hits,
    isOpen: true,
    defaultHighlightedIndex: 0,
    itemToString: (hit) => hit?.title ?? '',
    inputValue: text,
    onSelectedItemChange({ selectedItem }) {
      if (!selectedItem) return;
      // Going back must not reopen the dialog.
      history.replaceState(history.state, '', hereWith({ dialog: null }));
      if (selectedItem.run) closeAfter(selectedItem.run);
      else goTo(selectedItem.href ?? '');
    },
    stateReducer(state, { type, changes }) {
      const { ItemClick, InputKeyDownEnter, InputBlur } = useCombobox.stateChangeTypes;
      if (type === ItemClick || type === InputKeyDownEnter) return { ...changes, inputValue: state.inputValue };
      // Leaving the field chooses nothing.
      return type === InputBlur ? state : changes;
    },
  });
  return (
    <div className="palette">
      <label className="visually-hidden" id={getLabelProps().id} htmlFor={getLabelProps().htmlFor}>
        {t('Pages, objects and actions')}
      </label>
      <input
        className="input"
        placeholder={t('Pages, objects and actions')}
        {...getInputProps({ onChange: (event) => setText(event.currentTarget.value), onKeyDown: passEscape })}
      />
      <ul className="options" {...getMenuProps()}>
        {hits.map((hit, index) => (
          <li
            key={hit.id}
            {...getItemProps({ item: hit, index })}
            data-active={index === highlightedIndex || undefined}
          >
            <span>{hit.title}</span>
            <span className="quiet small">{hit.kind}</span>
          </li>
        ))}
      </ul>
      {fitting.length + objects.length === 0 && text !== '' && of === text && !isOffered && (
        <p className="quiet">{t('No results for “{text}”.', { text })}</p>
      )}
    </div>
  );
}

function closeAfter(run: () => void): void {
  run();
  goTo(location.href, { replace: true });
}

const pauseMs = 120;

interface Objects {
  /** What was searched for: what is shown may be of an earlier text while a new answer is on its way. */
  readonly of: string;
  readonly hits: readonly Hit[];
}

function useObjects(text: string): Objects {
  const [found, setFound] = useState<Objects>({ of: '', hits: [] });
  useEffect(() => {
    if (text.trim().length < 2) return setFound({ of: text, hits: [] });
    let isWanted = true;
    const timer = setTimeout(async () => {
      const objects = await findObjects(text).catch(() => []);
      if (!isWanted) return;
      const hits = objects.map(({ path, label, type }) => ({ id: path, title: label, kind: type, href: hrefOf(path) }));
      setFound({ of: text, hits });
    }, pauseMs);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [text]);
  return found;
}
