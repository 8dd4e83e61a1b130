import './flows.css';
import { useInterface } from '../api/interface.ts';
import { ListPage } from '../generic/list-page.tsx';
import type { ResourcePage } from '../resource-page.ts';
import { ReadyMade } from './ready-made.tsx';

/** The list of flows, below the ready-made ones. */
export function FlowsPage(props: ResourcePage) {
  const { user } = useInterface();
  return <ListPage {...props} above={user.is_superuser && <ReadyMade />} />;
}
