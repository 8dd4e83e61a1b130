import { hrefOf } from '../address.ts';
import { Link } from '../link.tsx';
import { Page } from '../page.tsx';

export function NotFound() {
  return (
    <Page title="There is no such page">
      <p>Nothing is at this address, or nothing that you may see.</p>
      <p>
        Go to the <Link href={hrefOf('/')}>start page</Link>, or press <kbd>/</kbd> to search.
      </p>
    </Page>
  );
}
