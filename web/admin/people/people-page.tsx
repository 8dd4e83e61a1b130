import type { UserPath } from '../../api/types.ts';
import { t } from '../../texts/texts.ts';
import './people.css';
import { Loaded, useAnswer } from '../../elements/loading.tsx';
import { hereWith, useAddress } from '../address.ts';
import { useHeld } from '../api/interface.ts';
import { ListPage } from '../generic/list-page.tsx';
import { Link } from '../link.tsx';
import type { ResourcePage } from '../resource-page.ts';
import { MembershipButtons } from './bulk-membership.tsx';
import { dormantSince } from './dormant.ts';
import { folderTree } from './folders.ts';
import { InviteButton } from './invite-button.tsx';

/** People, by folders. */
export function PeoplePage(props: ResourcePage) {
  return (
    <ListPage
      {...props}
      beside={<Folders />}
      above={<UsualFilters />}
      actions={<InviteButton />}
      BulkVerbs={MembershipButtons}
    />
  );
}

const usual = ['not_signed_in_since', 'has_second_factor'] as const;

/** What people most often look for, in words. */
function UsualFilters() {
  const held = useHeld();
  const { query } = useAddress();
  const dormant = dormantSince();
  const filters = [
    { name: usual[0], value: dormant, text: t('Has not signed in for 90 days') },
    ...(held('svc_core.reset_user_second_factors')
      ? [{ name: usual[1], value: 'false', text: t('No second factor') }]
      : []),
  ];
  return (
    <nav className="row" aria-label={t('Usual filters')}>
      {filters.map(({ name, value, text }) => {
        const isOn = query.get(name) === value;
        return (
          <Link
            key={name}
            className="usual-filter"
            href={hereWith({ [name]: isOn ? null : value, page: null })}
            aria-current={isOn ? 'true' : undefined}
          >
            {isOn ? `✓ ${text}` : text}
          </Link>
        );
      })}
    </nav>
  );
}

function Folders() {
  const paths = useAnswer<UserPath>('/core/users/paths/');
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
