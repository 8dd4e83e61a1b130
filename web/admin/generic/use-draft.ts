import { useEffect, useRef, useState } from 'react';
import { useToast } from '../../elements/toast.tsx';
import { draftKey } from '../../page/drafts.ts';
import { pageLanguage } from '../../texts/page-language.ts';
import { t } from '../../texts/texts.ts';
import { useInterface } from '../api/interface.ts';
import type { Row } from '../api/objects.ts';
import { changedMembers, type FormMember, isSame } from './body.ts';
import { keptOf, storeDraft, storedDraft } from './kept-draft.ts';

interface About {
  /** Names the form among all. */
  readonly form: string;
  /** What it changes, for the middle of a sentence. */
  readonly what: string;
  readonly members: readonly FormMember[];
  /** The values on the server, as far as the page has read them; memoized. */
  readonly initial: Row;
  /** Whether it is for a new object, which nobody else can have changed. */
  readonly isNew: boolean;
}

/** What was typed into a form. */
export interface Draft {
  /** The version of the object that the typed values are on top of. */
  readonly base: Row;
  readonly values: Row;
  /** The version that another user has saved meanwhile, until one of both is chosen. */
  readonly theirs: Row | null;
  /** Whether changes from an earlier visit were restored. */
  readonly isRestored: boolean;
  set(name: string, value: unknown): void;
  /** There is such a version on the server. */
  meet(theirs: Row): void;
  /** Goes on with what was typed, on top of that version. */
  keepMine(): void;
  takeTheirs(): void;
  /** Drops the changes, because they are not wanted. */
  discard(): void;
  /** Drops those that are saved now, and were sent as this. */
  finish(saved: Row, sent: Row): void;
}

interface State extends Pick<Draft, 'base' | 'theirs' | 'isRestored'> {
  readonly initial: Row;
  readonly typed: Row;
}

/** The values of a form. Changes outlive the form in session storage, secrets do not; leaving the form asks first. */
export function useDraft({ form, what, members, initial, isNew }: About): Draft {
  const key = draftKey(useInterface().user.pk, form);
  const [state, setState] = useState<State>(() => {
    const { base, typed } = storedDraft(key, members) ?? { base: {}, typed: {} };
    const isRestored = Object.keys(typed).length > 0;
    return onto(initial, { initial, base: { ...initial, ...base }, typed, theirs: null, isRestored });
  });
  if (state.initial !== initial) setState(onto(initial, state));
  const { base, typed, theirs } = state;
  const values = { ...base, ...typed };
  const isDirty = changedMembers(members, values, base).length > 0;
  /** What to say when the form is left. */
  const parting = useRef<(() => string) | null>(null);
  const isStored = useRef(true);
  parting.current = isDirty ? () => partingWords(what, isStored.current, ...keptOf(members, values, base)) : null;
  const showToast = useRef((_: string) => {});
  showToast.current = useToast();

  /** The typed values on top of what is on the server now, unless both have changed a member. */
  function onto(now: Row, before: State): State {
    const isContested = ({ name }: FormMember) =>
      name in before.typed && !isSame(before.base[name], now[name]) && !isSame(before.typed[name], now[name]);
    if (!isNew && members.some(isContested)) return { ...before, initial: now, theirs: now };
    return { ...before, initial: now, base: now, theirs: null };
  }

  useEffect(() => {
    isStored.current = storeDraft(key, members, { ...base, ...typed }, base);
  }, [key, members, base, typed]);

  useEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => {
      if (parting.current) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isDirty]);

  useEffect(
    () => () => {
      if (parting.current) showToast.current(parting.current());
    },
    [],
  );

  const change = (to: (before: State) => Partial<State>) => setState((before) => ({ ...before, ...to(before) }));
  return {
    ...{ base, values, theirs },
    isRestored: state.isRestored && isDirty,
    set: (name, value) => change(({ typed }) => ({ typed: { ...typed, [name]: value } })),
    meet: (version) => change(() => ({ theirs: version })),
    keepMine: () => change(({ theirs, base }) => ({ base: theirs ?? base, theirs: null, isRestored: true })),
    takeTheirs: () => change(({ theirs, base }) => ({ base: theirs ?? base, typed: {}, theirs: null })),
    discard: () => change(() => ({ typed: {}, isRestored: false })),
    finish(saved, sent) {
      // The page may be left before this is drawn.
      parting.current = null;
      sessionStorage.removeItem(key);
      change(({ base, typed }) => ({
        base: { ...base, ...saved },
        typed: Object.fromEntries(Object.entries(typed).filter(([name, value]) => value !== sent[name])),
        ...{ theirs: null, isRestored: false },
      }));
    },
  };
}

function partingWords(
  what: string,
  isStored: boolean,
  kept: readonly FormMember[],
  lost: readonly FormMember[],
): string {
  if (!isStored)
    return t('Your unsaved changes to {what} are lost: there is no room for them in this window.', { what });
  if (kept.length === 0) return t('Your unsaved changes to {what} are lost: secrets are not kept.', { what });
  const fields = new Intl.ListFormat(pageLanguage()).format(new Set(kept.map(({ note }) => note.label)));
  return lost.length === 0
    ? t('Your unsaved changes to {what} are kept in this window: {fields}.', { what, fields })
    : t('Your unsaved changes to {what} are kept in this window, except secrets: {fields}.', { what, fields });
}
