import { t } from '../../texts/texts.ts';
import type { Member } from '../api/document.ts';
import { useInterface } from '../api/interface.ts';

/** Why the caller may not change a member; null if they may. `fixed` are those that delegation keeps from them. */
export function useWhyFixed(fixed: readonly string[] = []): (member: Member) => string | null {
  const { user } = useInterface();
  return ({ name, note }) => {
    if (fixed.includes(name)) return t('Only those who hold all permissions involved may change this.');
    return note.limits?.only === 'superusers' && !user.is_superuser ? t('Only superusers may change this.') : null;
  };
}
