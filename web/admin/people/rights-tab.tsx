import { Loaded, useAnswer } from '../../elements/loading.tsx';
import { Grants, type Rights } from '../access/grants.tsx';
import type { Person } from './person.ts';

/** What the person may do here, and why. */
export function RightsTab({ person }: { person: Person }) {
  const rights = useAnswer<Rights>(`/core/users/${person.pk}/rights/`);
  return <Loaded {...rights}>{(found) => <Grants rights={found} />}</Loaded>;
}
