import { ApiProblem } from '../../api/client.ts';
import { type Loadable, Loaded } from '../../elements/loading.tsx';
import { hrefOf } from '../address.ts';
import type { ResourceEntry } from '../api/interface.ts';
import { Page } from '../page.tsx';
import { NotFound } from '../pages/not-found.tsx';

/** Whether there is nothing at the address, or nothing that the caller may see. */
export const isMissing = <T,>({ answer }: Loadable<T>): boolean =>
  answer.state === 'failed' && answer.problem instanceof ApiProblem && answer.problem.status === 404;

/** The page of an object that is loading, failed to load, or does not exist. */
export function Unread<T>({ read, entry }: { read: Loadable<T>; entry: ResourceEntry }) {
  if (isMissing(read)) return <NotFound />;
  return (
    <Page title={entry.singular} crumbs={[{ text: entry.plural, href: hrefOf(entry.path) }]}>
      <Loaded {...read}>{() => null}</Loaded>
    </Page>
  );
}
