import { masked } from '../../resource/audit.ts';

const secretName = /api|token|key|secret|pass|signature/i;
/** Named like secrets, but no secrets. */
const openName = /^(passing|password_change_date|auth_method(_args)?)$/;
/** A diff names fields: what it says of a field named like a secret is one. */
const diffMember = /^(previous_value|new_value|add|remove|clear)$/;

/** Members named like secrets show as asterisks at any depth, in lists and diffs too; their own members are looked at by their names. */
export function maskSecrets(value: unknown, isSecret = false): unknown {
  if (Array.isArray(value)) return value.map((element) => maskSecrets(element, isSecret));
  if (typeof value === 'string' || typeof value === 'number') return isSecret ? masked : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const isNamedSo = secretName.test(name) && !openName.test(name);
      return [name, maskSecrets(inner, isNamedSo || (isSecret && diffMember.test(name)))];
    }),
  );
}
