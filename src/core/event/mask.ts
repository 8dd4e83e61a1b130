import type { Json } from '../../lib/json.ts';
import { masked } from '../../resource/write/audit.ts';

// The address of a webhook is a credential: it is all that is needed to post to it.
const secretName = /api|token|key|secret|pass|signature|webhook_url/i;
/** Named like secrets, but harmless. */
const openName = /^(passing|password_change_date|auth_method(_args)?)$/;
/** A diff is keyed by field: the values of a secret field are secrets. */
const diffMember = /^(previous_value|new_value|add|remove|clear)$/;

const isNamedSo = (name: string): boolean => secretName.test(name) && !openName.test(name);

/** Replaces members named like secrets by asterisks at any depth, also in lists and diffs. */
export const maskSecrets = <T extends Json | Readonly<Record<string, unknown>>>(value: T): T =>
  // Keeps the structure and replaces only secret values, so the type stays.
  holdsSecret(value) ? (masking(value, false) as T) : value;

/** Most events hold no secrets and need no copy. */
function holdsSecret(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsSecret);
  return Object.entries(value).some(([name, inner]) => isNamedSo(name) || holdsSecret(inner));
}

function masking(value: unknown, isSecret: boolean): unknown {
  if (Array.isArray(value)) return value.map((element) => masking(element, isSecret));
  if (typeof value === 'string' || typeof value === 'number') return isSecret ? masked : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      return [name, masking(inner, isNamedSo(name) || (isSecret && diffMember.test(name)))];
    }),
  );
}
