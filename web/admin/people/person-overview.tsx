import { Code } from '../../elements/code.tsx';
import { Moment } from '../../elements/moment.tsx';
import { t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import type { NamedObject } from '../api/objects.ts';
import { spelled } from '../labels.ts';
import { Link } from '../link.tsx';
import type { Person } from './person.ts';

/** Who it is. */
export function PersonOverview({ person, may }: { person: Person; may: NamedObject['may'] }) {
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
    [t('Last sign-in'), person.last_login ? <Moment key="login" at={person.last_login} /> : t('Never')],
    ['UUID', person.uuid],
  ] as const;
  return (
    <div className="stack">
      <section className="card stack" aria-label={t('Overview')}>
        <div className="row">
          <span className={person.is_active ? 'tag tag-good' : 'tag tag-alert'}>
            {t(person.is_active ? 'Active' : 'Not active: cannot sign in')}
          </span>
          {person.is_superuser && <span className="tag tag-warning">{t('Superuser')}</span>}
        </div>
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
