import { use, useCallback } from 'react';
import { apiFetch } from '../../api/call.ts';
import type { Application, LDAPProvider, OAuth2Provider, ProxyProvider, SAMLProvider } from '../../api/types.ts';
import { Loaded, useLoadable } from '../../elements/loading.tsx';
import { Notice } from '../../elements/notice.tsx';
import { t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import { type ResourceEntry, useInterface } from '../api/interface.ts';
import { PagesContext } from '../api/pages.ts';
import { Link } from '../link.tsx';
import { CopyRows } from '../parts/copy-rows.tsx';
import { ForwardAuthCard } from './forward-auth-card.tsx';
import { LdapNote } from './ldap-note.tsx';
import { NewSecretButton } from './new-secret-button.tsx';
import { RadiusFacts } from './radius-facts.tsx';
import { SamlCertificate } from './saml-certificate.tsx';
import { bindDnIn } from './template.ts';
import { TestLink } from './test-link.tsx';

const withFacts = new Set(['oauth2', 'saml', 'proxy', 'ldap', 'radius'].map((kind) => `/providers/${kind}/`));

/** The settings to enter in the application, and the provider. */
export function SignInTab({ application }: { application: Application }) {
  const { provider_obj, provider } = application;
  const entry = useInterface().resources.find(({ model }) => model === provider_obj?.meta_model_name);
  if (!entry || provider === null) return null;
  const path = `${entry.path}${provider}/`;
  return (
    <div className="stack">
      {entry.path === '/providers/oauth2/' && <OAuth2Facts path={path} mayChange={entry.may.change === 'all'} />}
      {entry.path === '/providers/saml/' && (
        <>
          <SamlFacts path={path} />
          <SamlCertificate provider={path} slug={application.slug} />
        </>
      )}
      {entry.path === '/providers/proxy/' && <ProxyFacts path={path} />}
      {entry.path === '/providers/ldap/' && <LdapFacts path={path} />}
      {entry.path === '/providers/radius/' && <RadiusFacts path={path} />}
      {!withFacts.has(entry.path) && <p>{entry.description}</p>}
      <Ways entry={entry} path={path} />
    </div>
  );
}

function Ways({ entry, path }: { entry: ResourceEntry; path: string }) {
  return (
    <div className="row">
      <TestLink provider={path}>{t('Test the sign-in')}</TestLink>
      {entry.may.change === 'all' && (
        <Link className="button" href={hrefOf(`/edit${path}`)}>
          {t('Edit the sign-in')}
        </Link>
      )}
      <Link className="button" href={hrefOf(path)}>
        {t('All settings')}
      </Link>
    </div>
  );
}

function OAuth2Facts({ path, mayChange }: { path: string; mayChange: boolean }) {
  const pages = use(PagesContext);
  const read = useLoadable(
    useCallback(async () => {
      const [provider, urls] = await Promise.all([
        pages.read<OAuth2Provider>(path),
        pages.read<Readonly<Record<string, string>>>(`${path}setup_urls/`),
      ]);
      return [provider.answer, urls.answer] as const;
    }, [pages, path]),
  );
  return (
    <Loaded {...read}>
      {([provider, urls]) => (
        <>
          <section className="card stack" aria-label={t('For the application')}>
            <h2>{t('For the application')}</h2>
            <CopyRows
              rows={[
                { label: t('Issuer'), text: urls.issuer },
                { label: t('Client ID'), text: provider.client_id },
                {
                  label: t('Client secret'),
                  text: provider.client_type === 'public' ? undefined : provider.client_secret,
                  isSecret: true,
                },
                { label: t('Discovery'), text: urls.provider_info },
              ]}
            />
            {mayChange && provider.client_type === 'confidential' && (
              <div className="row">
                <NewSecretButton provider={path} onRotated={() => void read.reload()} />
              </div>
            )}
            <details>
              <summary>{t('All addresses')}</summary>
              <CopyRows
                rows={[
                  { label: t('Authorization'), text: urls.authorize },
                  { label: t('Token'), text: urls.token },
                  { label: t('User info'), text: urls.user_info },
                  { label: t('Keys'), text: urls.jwks },
                  { label: t('Sign-out'), text: urls.logout },
                ]}
              />
            </details>
          </section>
          <section className="card stack" aria-label={t('Redirect URIs')}>
            <h2>{t('Redirect URIs')}</h2>
            {provider.redirect_uris.length === 0 && (
              <Notice tone="warn">{t('There are none, so every sign-in is refused.')}</Notice>
            )}
            <ul className="plain-list">
              {provider.redirect_uris.map(({ matching_mode, url }) => (
                <li key={url}>
                  <code className="wrapped">{url}</code>{' '}
                  {matching_mode === 'regex' && <span className="tag">{t('Pattern')}</span>}
                </li>
              ))}
            </ul>
          </section>
        </>
      )}
    </Loaded>
  );
}

function ProxyFacts({ path }: { path: string }) {
  const read = useLoadable(useCallback(() => apiFetch<ProxyProvider>('GET', path), [path]));
  return <Loaded {...read}>{(provider) => <ForwardAuthCard provider={provider} path={path} />}</Loaded>;
}

function LdapFacts({ path }: { path: string }) {
  const read = useLoadable(useCallback(() => apiFetch<LDAPProvider>('GET', path), [path]));
  return (
    <Loaded {...read}>
      {({ base_dn }) => (
        <section className="card stack" aria-label={t('For the application')}>
          <h2>{t('For the application')}</h2>
          <CopyRows
            rows={[
              { label: t('Base DN'), text: base_dn },
              { label: t('Bind DN'), text: bindDnIn(base_dn) },
            ]}
          />
          <LdapNote />
        </section>
      )}
    </Loaded>
  );
}

function SamlFacts({ path }: { path: string }) {
  const read = useLoadable(useCallback(() => apiFetch<SAMLProvider>('GET', path), [path]));
  return (
    <Loaded {...read}>
      {(provider) => (
        <section className="card stack" aria-label={t('For the application')}>
          <h2>{t('For the application')}</h2>
          <CopyRows
            rows={[
              { label: t('Entity ID'), text: provider.issuer },
              { label: t('Metadata'), text: provider.url_download_metadata },
              { label: t('Sign-on URL'), text: provider.url_sso_redirect },
              { label: t('Sign-out URL'), text: provider.url_slo_redirect },
              { label: t('Sent to'), text: provider.acs_url },
              { label: t('Audience'), text: provider.audience },
            ]}
          />
        </section>
      )}
    </Loaded>
  );
}
