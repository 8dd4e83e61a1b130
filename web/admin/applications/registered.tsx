import type { OAuth2Provider, SAMLProvider } from '../../api/types.ts';
import { Loaded, useAnswer } from '../../elements/loading.tsx';
import { t } from '../../texts/texts.ts';
import { FirstSignIn, type RegisteredUri } from './first-sign-in.tsx';
import type { Template } from './template.ts';

/** What providers for OpenID Connect and SAML have of it. */
type Addresses = Partial<
  Pick<OAuth2Provider, 'redirect_uris' | 'post_logout_redirect_uris' | 'backchannel_logout_uri'> &
    Pick<SAMLProvider, 'acs_url' | 'audience' | 'sls_url'>
>;

interface Props {
  readonly template: Template;
  /** The API path of the provider. */
  readonly provider: string;
  /** The key and the name of the application. */
  readonly pk: string;
  readonly name: string;
}

/** The addresses that this server has of an application, and whether the application uses them. */
export function Registered({ template, provider, pk, name }: Props) {
  const read = useAnswer<Addresses>(provider);
  return (
    <Loaded {...read}>
      {(stored) => (
        <section className="card stack" aria-label={t('First sign-in')}>
          <h2>{t('First sign-in')}</h2>
          {template.protocol !== 'proxy' && (
            <dl className="facts">
              {rowsOf(stored)
                .filter(({ texts }) => texts.some(Boolean))
                .map(({ label, texts }) => (
                  <div key={label}>
                    <dt>{label}</dt>
                    <dd>
                      <ul className="plain-list">
                        {texts.map((text) => (
                          <li key={text}>
                            <code className="wrapped">{text}</code>
                          </li>
                        ))}
                      </ul>
                    </dd>
                  </div>
                ))}
            </dl>
          )}
          <FirstSignIn
            {...{ name, pk, provider }}
            registered={stored.redirect_uris ?? []}
            onAdded={() => void read.reload()}
          />
        </section>
      )}
    </Loaded>
  );
}

const urlsOf = (list: readonly RegisteredUri[] = []) => list.map(({ url }) => url);

const rowsOf = (provider: Addresses) => [
  { label: t('Redirect URIs'), texts: urlsOf(provider.redirect_uris) },
  { label: t('After signing out'), texts: urlsOf(provider.post_logout_redirect_uris) },
  { label: t('Back-channel logout address'), texts: [provider.backchannel_logout_uri ?? ''] },
  { label: t('Assertion consumer service'), texts: [provider.acs_url ?? ''] },
  { label: t('Audience'), texts: [provider.audience ?? ''] },
  { label: t('Sign-out URL'), texts: [provider.sls_url ?? ''] },
];
