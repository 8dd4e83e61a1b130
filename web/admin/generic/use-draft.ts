import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import type { Member } from '../api/document.ts';
import type { Row } from '../api/objects.ts';
import { Unreadable } from '../widgets/widget-props.ts';
import { changedMembers } from './body.ts';

interface Draft {
  readonly values: Row;
  /** Whether changes from an earlier visit were restored. */
  readonly isRestored: boolean;
  set(name: string, value: unknown): void;
  /** Drops the changes, because they are saved or not wanted. */
  discard(): void;
  /** Drops them, and no longer warns about them. */
  finish(): void;
}

/** The values of a form, and in `unsaved` whether it has changes. Those are kept in session storage, secrets are not. */
export function useDraft(key: string, members: readonly Member[], initial: Row, unsaved: RefObject<boolean>): Draft {
  const stored = useRef(readStored(key));
  const [values, setValues] = useState<Row>(() => ({ ...initial, ...stored.current }));
  const [isRestored, setRestored] = useState(stored.current !== null);
  const isFinished = useRef(false);
  const isDirty = changedMembers(members, values, initial).length > 0;
  unsaved.current = isDirty && !isFinished.current;

  useEffect(() => {
    if (isFinished.current) return;
    const kept = changedMembers(members, values, initial).filter(
      ({ name, note }) => note.kind !== 'secret' && !(values[name] instanceof Unreadable),
    );
    if (kept.length === 0) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(Object.fromEntries(kept.map(({ name }) => [name, values[name]]))));
  }, [key, members, values, initial]);

  useEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => {
      if (!isFinished.current) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isDirty]);

  return {
    values,
    isRestored: isRestored && isDirty,
    set: useCallback((name, value) => setValues((before) => ({ ...before, [name]: value })), []),
    discard() {
      sessionStorage.removeItem(key);
      setRestored(false);
      setValues(initial);
    },
    finish() {
      isFinished.current = true;
      unsaved.current = false;
      sessionStorage.removeItem(key);
    },
  };
}

function readStored(key: string): Row | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}
