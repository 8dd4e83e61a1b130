import { t } from '../../texts/texts.ts';
import type { Member } from '../api/document.ts';
import type { Row } from '../api/objects.ts';
import { Unreadable } from '../widgets/widget-props.ts';

export const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** The values that a form begins with: of an object, or the defaults. */
export function initialValues(members: readonly Member[], row: Row | null): Row {
  return Object.fromEntries(members.map(({ name, schema }) => [name, row ? row[name] : schema.default]));
}

/** The members whose values are no longer those that the form began with. */
export const changedMembers = (members: readonly Member[], values: Row, initial: Row): Member[] =>
  members.filter(({ name }) => !isSame(values[name], initial[name]));

/** What is sent: what differs from the defaults of a new object, or from the object as it was. The server knows its defaults. */
export function bodyOf(members: readonly Member[], values: Row, initial: Row, isNew: boolean): Row {
  const before = isNew ? initialValues(members, null) : initial;
  const sent = changedMembers(members, values, before).filter(({ name }) => values[name] !== undefined);
  return Object.fromEntries(sent.map(({ name }) => [name, values[name]]));
}

export type Complaints = Readonly<Record<string, readonly string[]>>;

/** What can be said of a body before it is sent. */
export function unreadable(body: Row): Complaints | null {
  const bad = Object.entries(body).filter(([, value]) => value instanceof Unreadable);
  return bad.length > 0 ? Object.fromEntries(bad.map(([name]) => [name, [t('Fix this first.')]])) : null;
}
