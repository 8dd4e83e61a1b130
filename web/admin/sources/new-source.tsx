import '../applications/applications.css';
import './sources.css';
import { TextField } from '../../elements/field.tsx';
import { known, t } from '../../texts/texts.ts';
import { goTo, hereWith, hrefOf, useAddress } from '../address.ts';
import { useInterface } from '../api/interface.ts';
import { ProductLogo } from '../applications/product-logo.tsx';
import { Link } from '../link.tsx';
import { Page } from '../page.tsx';
import { type Service, services } from './services.ts';
import { SourceForm } from './source-form.tsx';

/** A gallery of services that people sign in with, and a short form for the chosen one. */
export function NewSource() {
  const { query } = useAddress();
  const { resources } = useInterface();
  const mayAdd = (path: string) => resources.some((entry) => entry.path === path && entry.may.add === 'all');
  const offered = services.filter(({ form }) => mayAdd(form ?? '/sources/oauth/'));
  const service = offered.find(({ id }) => id === query.get('service'));
  const crumbs = [{ text: t('Sources'), href: hrefOf('/sources/all/') }];
  if (service?.type)
    return (
      <Page
        title={t('New source: {name}', { name: service.name })}
        crumbs={[...crumbs, { text: t('New source'), href: hrefOf('/sources/new/') }]}
      >
        <SourceForm key={service.id} service={service} type={service.type} />
      </Page>
    );
  return (
    <Page title={t('New source')} intro={t('Choose what people sign in with.')} crumbs={crumbs}>
      {offered.length > 0 ? (
        <Gallery offered={offered} text={query.get('search') ?? ''} />
      ) : (
        <p>{t('You do not have permission to create sources.')}</p>
      )}
    </Page>
  );
}

function Gallery({ offered, text }: { offered: readonly Service[]; text: string }) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = offered.filter(({ name, neutral, type = '' }) =>
    words.every((word) => [name, neutral, known(neutral), type].join(' ').toLowerCase().includes(word)),
  );
  return (
    <>
      <div className="gallery-search">
        <TextField
          label={t('Search services')}
          type="search"
          value={text}
          onChange={({ currentTarget }) => goTo(hereWith({ search: currentTarget.value || null }), { replace: true })}
        />
      </div>
      {found.length === 0 && (
        <p className="empty" role="status">
          {t('No service has this name. Most support OpenID Connect or SAML: choose one of those.')}
        </p>
      )}
      <ul className="gallery">
        {found.map((service) => (
          <li key={service.id}>
            <Link
              className="card gallery-item"
              href={service.form ? hrefOf(`/new${service.form}`) : hereWith({ service: service.id, search: null })}
            >
              <ProductLogo id={service.id} name={service.name} />
              <span className="gallery-text">
                <strong>{service.name}</strong>
                <span className="quiet small">{known(service.neutral)}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
