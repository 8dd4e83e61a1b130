import { isObject } from '../../api/is-object.ts';
import type { Row } from '../api/objects.ts';
import { Unreadable } from '../widgets/widget-props.ts';
import { changedMembers, type FormMember } from './body.ts';

/** Values typed into a form, and those of the same members before. */
export interface KeptDraft {
  readonly base: Row;
  readonly typed: Row;
}

/** A value as JSON has it: text that cannot be parsed stays as it was typed. */
type Kept = { readonly value?: unknown } | { readonly text: string; readonly reason: string };

/** What may be kept in storage: no secrets. */
const isKept = ({ note }: FormMember): boolean => note.kind !== 'secret';

/** The changed members that storage keeps, and those that it does not. */
export function keptOf(members: readonly FormMember[], values: Row, base: Row): [FormMember[], FormMember[]] {
  const changed = changedMembers(members, values, base);
  return [changed.filter(isKept), changed.filter((member) => !isKept(member))];
}

/** Stores the changes under this key; false if storage has no room for them. */
export function storeDraft(key: string, members: readonly FormMember[], values: Row, base: Row): boolean {
  const [kept] = keptOf(members, values, base);
  const pick = <T>(of: (name: string) => T) => Object.fromEntries(kept.map(({ name }) => [name, of(name)]));
  sessionStorage.removeItem(key);
  if (kept.length === 0) return true;
  const draft = { base: pick((name) => base[name]), typed: pick((name) => keep(values[name])) };
  try {
    sessionStorage.setItem(key, JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

/** The changes stored under this key to members that the form still has. */
export function storedDraft(key: string, members: readonly FormMember[]): KeptDraft | null {
  const found = parsed(sessionStorage.getItem(key));
  if (!isObject(found) || !isObject(found.base) || !isObject(found.typed)) return null;
  const { base, typed } = found;
  const names = members.filter(isKept).flatMap(({ name }) => (isObject(typed[name]) ? [name] : []));
  return { base, typed: Object.fromEntries(names.map((name) => [name, unkept(typed[name] as Kept)])) };
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}

const keep = (value: unknown): Kept => (value instanceof Unreadable ? { ...value } : { value });
const unkept = (kept: Kept): unknown => ('text' in kept ? new Unreadable(kept.text, kept.reason) : kept.value);
