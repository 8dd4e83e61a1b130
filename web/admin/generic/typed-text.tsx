import type { UsedBy } from '../../api/types.ts';
import { TextField } from '../../elements/field.tsx';
import { t } from '../../texts/texts.ts';
import type { ResourceEntry } from '../api/interface.ts';

/** Whether deleting an object can lock people out: what makes superusers, and what sign-in uses. */
export const locksOut = (
  { reaches_sign_in, path }: ResourceEntry,
  uses: readonly UsedBy[],
  isSuperuser: unknown,
): boolean => isSuperuser === true || (reaches_sign_in && (uses.length > 0 || path === stageBindings));

/** A flow uses its stage bindings without referring to them. */
const stageBindings = '/flows/bindings/';

interface Props {
  readonly text: string;
  readonly typed: string;
  onType(text: string): void;
}

/** Asks to type a text, so that nobody does by mistake what can lock people out. */
export const TypedText = ({ text, typed, onType }: Props) => (
  <TextField
    label={t('Type {text} to confirm', { text })}
    hint={t('People may be unable to sign in without it.')}
    value={typed}
    autoComplete="off"
    spellCheck={false}
    onChange={({ currentTarget }) => onType(currentTarget.value)}
  />
);
