import { createContext, use } from 'react';

/** Who is signed in, as `core_users_me_retrieve` tells it. */
export interface Person {
  readonly pk: number;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly avatar: string;
  readonly is_superuser: boolean;
  readonly groups: readonly { readonly pk: string; readonly name: string }[];
}

export interface Me {
  readonly user: Person;
  /** Who acts as this user, when it is somebody else. */
  readonly original?: Person;
}

export const PersonContext = createContext<Person | null>(null);

export function usePerson(): Person {
  const person = use(PersonContext);
  if (!person) throw new Error('there is a person in the account pages only');
  return person;
}

export const nameOf = ({ name, username }: Person): string => name || username;
