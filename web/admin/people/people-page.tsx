import { t } from '../../texts/texts.ts';
import './people.css';
import { Loaded, useAnswer } from '../../elements/loading.tsx';
import { hereWith, useAddress } from '../address.ts';
import { ListPage } from '../generic/list-page.tsx';
import { Link } from '../link.tsx';
import type { ResourcePage } from '../resource-page.ts';
import { MembershipButtons } from './bulk-membership.tsx';
import { folderTree } from './folders.ts';
import { InviteButton } from './invite-button.tsx';

/** People, by folders. */
export function PeoplePage(props: ResourcePage) {
  return <ListPage {...props} beside={<Folders />} actions={<InviteButton />} BulkVerbs={MembershipButtons} />;
}

function Folders() {
  const paths = useAnswer<{ paths: readonly string[] }>('/core/users/paths/');
  const { query } = useAddress();
  const current = query.get('folder') ?? '';
  return (
    <nav className="folders" aria-label={t('Folders')}>
      <Loaded {...paths}>
        {(found) => (
          <ul>
            <li>
              <Link href={hereWith({ folder: null, page: null })} aria-current={current === '' ? 'true' : undefined}>
                {t('All folders')}
              </Link>
            </li>
            {folderTree(found.paths).map(({ path, name, depth }) => (
              <li key={path} data-depth={Math.min(depth, 4)}>
                <Link
                  href={hereWith({ folder: path, page: null })}
                  aria-current={current === path ? 'true' : undefined}
                >
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </nav>
  );
}
