import { useState } from 'react';
import type { Application, PaginatedEventList, PaginatedPolicyBindingList, Provider } from '../../api/types.ts';
import { Loaded } from '../../elements/loading.tsx';
import { type Text, t } from '../../texts/texts.ts';
import { BindingWords } from '../access/binding-list.tsx';
import { hereWith, hrefOf } from '../address.ts';
import { useInterface } from '../api/interface.ts';
import { usePage, usePart } from '../api/pages.ts';
import { kindName, moreThan, numberText } from '../labels.ts';
import { Link } from '../link.tsx';
import type { TabProps } from './application.ts';

/** What it is, where it is and how people get in. */
export function Overview({ application }: TabProps) {
  const { launch_url, meta_description, meta_publisher, group, slug, provider_obj } = application;
  return (
    <section className="card stack" aria-label={t('Overview')}>
      {meta_description && <p>{meta_description}</p>}
      <dl className="facts">
        <Fact label={t('Address')}>
          {launch_url ? (
            <a href={launch_url} target="_blank" rel="noreferrer">
              <bdi>{launch_url}</bdi>
            </a>
          ) : (
            <span className="quiet">{t('None: it is not in the lists of users.')}</span>
          )}
        </Fact>
        <Fact label={t('Signs people in by')}>
          {provider_obj ? (
            <ProviderLink provider={provider_obj} />
          ) : (
            <span className="quiet">{t('Nothing yet: it has no provider, so nobody can sign in.')}</span>
          )}
        </Fact>
        {application.backchannel_providers_obj.length > 0 && (
          <Fact label={t('Kept up to date by')}>
            <ul className="plain-list">
              {application.backchannel_providers_obj.map((provider) => (
                <li key={provider.pk}>
                  <ProviderLink provider={provider} />
                </li>
              ))}
            </ul>
          </Fact>
        )}
        <Use application={application} />
        <Fact label={t('Slug')}>{slug}</Fact>
        {group && <Fact label={t('Group')}>{group}</Fact>}
        {meta_publisher && <Fact label={t('Publisher')}>{meta_publisher}</Fact>}
      </dl>
    </section>
  );
}

const maxBindings = 5;
const weekMs = 7 * 86_400_000;
const hourMs = 3_600_000;

/** Who may open it, and how many did this week. One request. */
function Use({ application: { pk, policy_engine_mode: mode } }: { application: Application }) {
  const { resources } = useInterface();
  const has = (path: string) => resources.some((entry) => entry.path === path);
  return (
    <>
      {has('/policies/bindings/') && (
        <Fact label={t('Who may open it')}>
          <Bindings pk={pk} mode={mode} />
        </Fact>
      )}
      {has('/events/events/') && (
        <Fact label={t('Sign-ins in the last week')}>
          <SignIns pk={pk} />
        </Fact>
      )}
    </>
  );
}

function Bindings({ pk, mode }: { pk: string; mode: Application['policy_engine_mode'] }) {
  const read = usePart<PaginatedPolicyBindingList>(`/policies/bindings/?target=${pk}&ordering=order&page_size=100`);
  return (
    <Loaded {...read}>
      {({ results }) => {
        const active = results.filter(({ enabled }) => enabled);
        if (active.length === 0) return t('Everybody who can sign in may use it.');
        return (
          <>
            <ul className="plain-list">
              {active.slice(0, maxBindings).map((binding) => (
                <li key={binding.pk}>
                  <BindingWords binding={binding} />
                </li>
              ))}
            </ul>
            {active.length > maxBindings && (
              <Link href={hereWith({ tab: 'access' })}>
                {t('{count, number} more', { count: active.length - maxBindings })}
              </Link>
            )}
            {active.length > 1 && <p className="quiet small">{t(modes[mode])}</p>}
          </>
        );
      }}
    </Loaded>
  );
}

function SignIns({ pk }: { pk: string }) {
  const [since] = useState(() => new Date(Math.floor((Date.now() - weekMs) / hourMs) * hourMs).toISOString());
  const query = new URLSearchParams({
    ...{ action: 'authorize_application', context_authorized_app: pk.replaceAll('-', '') },
    ...{ created__gte: since, page_size: '1' },
  });
  const read = usePage<PaginatedEventList>(`/events/events/?${query}`);
  return (
    <Loaded {...read}>
      {({ answer, isAtLeast }) => (
        <Link href={hereWith({ tab: 'events' })}>{moreThan(numberText(answer.pagination.count), isAtLeast)}</Link>
      )}
    </Loaded>
  );
}

const modes: Readonly<Record<Application['policy_engine_mode'], Text>> = {
  any: 'One of these must allow access.',
  all: 'All of these must allow access.',
};

function Fact({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function ProviderLink({ provider: { pk, name, verbose_name, meta_model_name } }: { provider: Provider }) {
  const path = useInterface().resources.find(({ model }) => model === meta_model_name)?.path;
  return (
    <>
      {path ? <Link href={hrefOf(`${path}${pk}/`)}>{name}</Link> : name}{' '}
      <span className="quiet small">{kindName(verbose_name)}</span>
    </>
  );
}
