import type { User, UserRights } from '../../api/types.ts';
import { Loaded, useAnswer } from '../../elements/loading.tsx';
import { Grants } from '../access/grants.tsx';

/** What the person may do here, and why. */
export function RightsTab({ person }: { person: User }) {
  const rights = useAnswer<UserRights>(`/core/users/${person.pk}/rights/`);
  return <Loaded {...rights}>{(found) => <Grants rights={found} />}</Loaded>;
}
