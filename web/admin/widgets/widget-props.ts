import { t } from '../../texts/texts.ts';
import type { Member } from '../api/document.ts';

/** What every widget of a form gets. */
export interface WidgetProps {
  readonly member: Member;
  readonly value: unknown;
  readonly errors: readonly string[];
  onChange(value: unknown): void;
}

/** What the field of a member shows beside its widget. */
export function factsOf({ member: { note, isRequired }, errors }: Pick<WidgetProps, 'member' | 'errors'>) {
  return {
    label: isRequired ? t('{field} (required)', { field: note.label }) : note.label,
    hint: note.help?.replaceAll(/`([^`]*)`/g, t('“{words}”', { words: '$1' })),
    errors,
  };
}

/** What an empty widget holds; undefined where a value is required. */
export function nothing({ note, schema, isNullable }: Member): null | [] | Record<string, never> | undefined {
  const types = [schema.type].flat();
  if (isNullable) return null;
  if (types.includes('array')) return [];
  return note.kind === 'json' || types.includes('object') ? {} : undefined;
}

/** Typed text that cannot be parsed. */
export class Unreadable {
  readonly text: string;
  readonly reason: string;
  constructor(text: string, reason: string) {
    this.text = text;
    this.reason = reason;
  }
}
