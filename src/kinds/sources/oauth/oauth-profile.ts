import { asObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { isStorable } from '../../../resource/fields/well-formed.ts';

/** The profile of a user, in one form for all services. */
export interface OAuthProfile {
  readonly id: Json | undefined;
  readonly username?: Json | undefined;
  readonly email?: Json | undefined;
  /** Whether the service itself vouches that the person owns the address. */
  readonly isEmailConfirmed: boolean;
  readonly name?: Json | undefined;
  readonly groups?: Json | undefined;
}

const maxTextLength = 1_024;

export const textOf = (value: Json | undefined): string =>
  typeof value === 'string' && value.length <= maxTextLength ? value.trim() : '';

/** The identifier as text; null without a usable one. */
export function identifierOf(id: Json | undefined): string | null {
  // Numbers past what JavaScript counts exactly would make two people one.
  const text = typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : id;
  return typeof text === 'string' && text.trim() !== '' && text.length <= 255 && isStorable(text) ? text : null;
}

/** The groups of a claim; those that are named by something else than text are only counted. */
export function groupsOf(value: Json): { readonly groups: string[]; readonly namelessGroups: number } {
  const list = Array.isArray(value) ? value : [value].filter((one) => one !== null && one !== '');
  const groups = list.filter((one): one is string => typeof one === 'string' && one !== '');
  return { groups, namelessGroups: list.length - groups.length };
}

/** A provider may refer to another address for the groups (OpenID Connect Core §5.6.2), as Entra ID does above 200. */
export const withholdsGroups = ({ groups, _claim_names, hasgroups }: JsonObject): boolean =>
  groups === undefined && (Object.hasOwn(asObject(_claim_names), 'groups') || isTrue(hasgroups));

/** OpenID Connect Core §5.1; some services write booleans as text. */
export const isTrue = (value: Json | undefined): boolean => value === true || value === 'true';
