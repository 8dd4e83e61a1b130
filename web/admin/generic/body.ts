import { t } from '../../texts/texts.ts';
import type { Member } from '../api/document.ts';
import type { Row } from '../api/objects.ts';
import { nothing, Unreadable } from '../widgets/widget-props.ts';

/** What a form has to know of a member to keep its values. */
export type FormMember = Pick<Member, 'name' | 'note'>;

export const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** The values that a form begins with: of an object, or the defaults. */
export function initialValues(members: readonly Member[], row: Row | null): Row {
  return Object.fromEntries(members.map(({ name, schema }) => [name, row ? row[name] : schema.default]));
}

/** The members whose values are no longer those that the form began with. */
export const changedMembers = <M extends FormMember>(members: readonly M[], values: Row, before: Row): M[] =>
  members.filter(({ name, note }) => isChanged(note.kind === 'secret', values[name], before[name]));

/** An emptied value differs from a missing one. A secret that is not shown equals an emptied one. */
function isChanged(isSecret: boolean, value: unknown, before: unknown): boolean {
  if (isSecret && isEmpty(value) && isEmpty(before)) return false;
  return value !== before && JSON.stringify(value) !== JSON.stringify(before);
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';

/**
 * The request body: the differences from the defaults of a new object, or from the stored object. Flags of new objects
 * are always sent, since the server's defaults may differ from the form's, and so are required lists and data: as the
 * form shows them, empty. An emptied required value is undefined.
 */
export function bodyOf(members: readonly Member[], values: Row, initial: Row, isNew: boolean): Row {
  const before = isNew ? initialValues(members, null) : initial;
  const changed = new Set<FormMember>(changedMembers(members, values, before));
  const sent = members.filter((one) => changed.has(one) || (isNew && typeof values[one.name] === 'boolean'));
  const body = Object.fromEntries(sent.map(({ name }) => [name, values[name]]));
  return isNew ? { ...emptyBody(members, values), ...body } : body;
}

function emptyBody(members: readonly Member[], values: Row): Row {
  const untouched = members.filter(({ name, note, isRequired }) => {
    return isRequired && note.kind !== 'secret' && values[name] === undefined;
  });
  return Object.fromEntries(untouched.flatMap((one) => (nothing(one) ? [[one.name, nothing(one)]] : [])));
}

export type Complaints = Readonly<Record<string, readonly string[]>>;

/** What can be said of a body before it is sent. */
export function complaintsOf(body: Row): Complaints | null {
  const bad = Object.entries(body).flatMap(([name, value]) => {
    if (value === undefined) return [[name, [t('This field is required.')]] as const];
    return value instanceof Unreadable ? [[name, [t('Fix this first.')]] as const] : [];
  });
  return bad.length > 0 ? Object.fromEntries(bad) : null;
}
