import { createContext, use } from 'react';

/** The signed-in user, from `core_users_me_retrieve`. */
export interface Person {
  readonly pk: number;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly avatar: string;
  readonly is_superuser: boolean;
  readonly system_permissions: readonly string[];
  readonly groups: readonly { readonly pk: string; readonly name: string }[];
  readonly settings: { readonly locale?: unknown };
}

export interface Me {
  readonly user: Person;
  /** The impersonator, if any. */
  readonly original?: Person;
}

interface Present {
  readonly person: Person;
  /** Reloads the user after a change. */
  reload(): Promise<void>;
}

export const PersonContext = createContext<Present | null>(null);

function usePresent(): Present {
  const present = use(PersonContext);
  if (!present) throw new Error('there is a person in the account pages only');
  return present;
}

export const usePerson = (): Person => usePresent().person;

export const useReloadPerson = (): (() => Promise<void>) => usePresent().reload;

export const nameOf = ({ name, username }: Person): string => name || username;

/** Whether links lead to the admin pages. Other holders of permissions know the address. */
export const isAdministrator = ({ is_superuser, system_permissions }: Person): boolean =>
  is_superuser || system_permissions.includes('access_admin_interface');
