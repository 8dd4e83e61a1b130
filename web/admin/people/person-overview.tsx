import type { Device, PaginatedAuthenticatedSessionList, PaginatedEventList, User } from '../../api/types.ts';
import { Code } from '../../elements/code.tsx';
import { deviceKindName } from '../../elements/device-kind.ts';
import { Loaded } from '../../elements/loading.tsx';
import { Moment } from '../../elements/moment.tsx';
import { pageLocale } from '../../texts/page-language.ts';
import { Rich } from '../../texts/rich.tsx';
import { t } from '../../texts/texts.ts';
import { hereWith, hrefOf } from '../address.ts';
import { useEntry, useInterface } from '../api/interface.ts';
import type { NamedObject } from '../api/objects.ts';
import { usePart } from '../api/pages.ts';
import { spelled } from '../labels.ts';
import { Link } from '../link.tsx';

/** Who it is. */
export function PersonOverview({ person, may }: { person: User; may: NamedObject['may'] }) {
  const { user } = useInterface();
  const sessions = useEntry('/core/authenticated_sessions/');
  const events = useEntry('/events/events/');
  const isPerson = !person.type.includes('service_account');
  const isNew = person.is_active && !person.last_login && isPerson && may.includes('svc_core.reset_user_password');
  const facts = [
    [t('Username'), person.username],
    [t('Name'), person.name],
    [t('Email'), person.email && <a href={`mailto:${person.email}`}>{person.email}</a>],
    [t('Type'), spelled(person.type)],
    [
      t('Folder'),
      <Link key="path" href={hrefOf('/core/users/', { folder: person.path })}>
        {person.path}
      </Link>,
    ],
    [t('Groups'), <Groups key="groups" person={person} />],
    [t('Second factors'), isPerson && user.is_superuser && <Factors key="factors" person={person} />],
    [t('Last sign-in'), person.last_login ? <Moment key="login" at={person.last_login} /> : t('Never')],
    [t('Open sessions'), sessions && <OpenSessions key="open" person={person} />],
    [t('Last failed sign-in'), events && <LastFailure key="failure" person={person} />],
    ['UUID', person.uuid],
  ] as const;
  return (
    <div className="stack">
      <section className="card stack" aria-label={t('Overview')}>
        <dl className="facts">
          {facts.map(
            ([label, value]) =>
              value && (
                <div key={label}>
                  <dt>{label}</dt>
                  <dd>{value}</dd>
                </div>
              ),
          )}
        </dl>
        {isNew && (
          <p className="quiet">
            {t('Without a password yet? “Actions” has a way to set one, and a link by which they choose it.')}
          </p>
        )}
      </section>
      {Object.keys(person.attributes).length > 0 && (
        <section className="card stack" aria-label={t('Attributes')}>
          <h2>{t('Attributes')}</h2>
          <Code text={JSON.stringify(person.attributes, null, 2)} />
        </section>
      )}
    </div>
  );
}

const maxGroups = 5;

function Groups({ person: { groups_obj } }: { person: User }) {
  const groups = groups_obj ?? [];
  if (groups.length === 0) return <span className="quiet">{t('In no group.')}</span>;
  return (
    <ul className="tags">
      {groups.slice(0, maxGroups).map(({ pk, name }) => (
        <li key={pk}>
          <Link href={hrefOf(`/core/groups/${pk}/`)}>{name}</Link>
        </li>
      ))}
      {groups.length > maxGroups && (
        <li>
          <Link href={hereWith({ tab: 'groups' })}>
            {t('{count, number} more', { count: groups.length - maxGroups })}
          </Link>
        </li>
      )}
    </ul>
  );
}

/** How they prove who they are beside the password; for superusers, who alone may see it. */
function Factors({ person: { pk } }: { person: User }) {
  const read = usePart<readonly Device[]>(`/authenticators/admin/all/?user=${pk}`);
  return (
    <Loaded {...read}>
      {(devices) => {
        const kinds = new Set(devices.filter(({ confirmed }) => confirmed).map(deviceKindName));
        if (kinds.size === 0) return <span className="tag tag-warning">{t('No second factor')}</span>;
        return (
          <Link href={hereWith({ tab: 'devices' })}>
            {new Intl.ListFormat(pageLocale(), { type: 'unit' }).format(kinds)}
          </Link>
        );
      }}
    </Loaded>
  );
}

const newestOf = (list: string, query: Readonly<Record<string, string>>): string =>
  `${list}?${new URLSearchParams({ ...query, page_size: '1' })}`;

/** Where they are signed in now. */
function OpenSessions({ person: { username } }: { person: User }) {
  const query = { user__username: username, ordering: '-last_used' };
  const read = usePart<PaginatedAuthenticatedSessionList>(newestOf('/core/authenticated_sessions/', query));
  return (
    <Loaded {...read}>
      {({ results: [last], pagination: { count } }) =>
        last ? (
          <Link href={hereWith({ tab: 'sessions' })}>
            <Rich
              text="{count}, last used {when}"
              values={{ count: String(count), when: <Moment key="when" at={last.last_used} /> }}
            />
          </Link>
        ) : (
          t('None')
        )
      }
    </Loaded>
  );
}

/** The last failed sign-in to this account. */
function LastFailure({ person: { username } }: { person: User }) {
  const read = usePart<PaginatedEventList>(newestOf('/events/events/', { username, action: 'login_failed' }));
  return (
    <Loaded {...read}>
      {({ results: [last] }) =>
        last ? (
          <Link href={hrefOf(`/events/events/${last.pk}/`)}>
            <Moment at={last.created} />
            {last.client_ip && <bdi> · {last.client_ip}</bdi>}
          </Link>
        ) : (
          t('None recorded')
        )
      }
    </Loaded>
  );
}
