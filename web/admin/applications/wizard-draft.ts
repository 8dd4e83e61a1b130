import { useEffect, useState } from 'react';
import { isObject } from '../../api/is-object.ts';
import { draftKey } from '../../page/drafts.ts';
import { useInterface } from '../api/interface.ts';
import type { Choices } from './template.ts';

type Typed = Omit<Choices, 'groups'>;

const membersOf = ({ name, slug, address, redirect, signedOut, backchannel, entity }: Typed): Typed => ({
  ...{ name, slug, address, redirect, signedOut, backchannel, entity },
});

interface WizardDraft {
  /** What was typed on an earlier visit, else what the address has. */
  readonly first: Choices;
  readonly isRestored: boolean;
  discard(): void;
}

const keyOf = (person: number, template: string): string => draftKey(person, `wizard ${template}`);

/** Once the application is there. */
export const dropWizardDraft = (person: number, template: string): void =>
  sessionStorage.removeItem(keyOf(person, template));

/** What was typed on top of the values in the address, before they are in the address themselves. */
export function useWizardDraft(template: string, initial: Choices): WizardDraft {
  const key = keyOf(useInterface().user.pk, template);
  const [{ first, isRestored }] = useState(() => {
    const typed = storedDraft(key, initial);
    return { first: { ...initial, ...typed }, isRestored: typed !== null };
  });
  return { first, isRestored, discard: () => sessionStorage.removeItem(key) };
}

/** Keeps what is typed. */
export function useKeepDraft(template: string, initial: Choices, typed: Typed): void {
  const key = keyOf(useInterface().user.pk, template);
  const base = JSON.stringify(membersOf(initial));
  const text = JSON.stringify(membersOf(typed));
  useEffect(() => {
    if (text === base) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify({ base, text }));
  }, [key, base, text]);
}

function storedDraft(key: string, initial: Choices): Partial<Typed> | null {
  const stored = parsed(sessionStorage.getItem(key));
  if (!isObject(stored) || stored.base !== JSON.stringify(membersOf(initial))) return null;
  const typed = parsed(String(stored.text));
  return isObject(typed) ? typed : null;
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}
