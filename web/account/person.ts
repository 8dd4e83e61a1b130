import { createContext, use } from 'react';
import type { SessionUser } from '../api/types.ts';

/** The signed-in user. */
export type Person = SessionUser['user'];

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
