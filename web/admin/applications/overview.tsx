import { type Text, t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import { useInterface } from '../api/interface.ts';
import { kindName } from '../labels.ts';
import { Link } from '../link.tsx';
import type { Application, Provider, TabProps } from './application.ts';

/** What it is, where it is and how people get in. */
export function Overview({ application }: TabProps) {
  const { launch_url, meta_description, meta_publisher, group, slug, provider_obj } = application;
  return (
    <section className="card stack" aria-label={t('Overview')}>
      {application.meta_icon && <img className="application-icon" src={application.meta_icon} alt="" />}
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
        <Fact label={t('Access')}>{t(modes[application.policy_engine_mode])}</Fact>
        <Fact label={t('Slug')}>{slug}</Fact>
        {group && <Fact label={t('Group')}>{group}</Fact>}
        {meta_publisher && <Fact label={t('Publisher')}>{meta_publisher}</Fact>}
      </dl>
    </section>
  );
}

const modes: Readonly<Record<Application['policy_engine_mode'], Text>> = {
  any: 'One binding has to let a person in; without bindings everybody may.',
  all: 'Every binding has to let a person in; without bindings everybody may.',
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
