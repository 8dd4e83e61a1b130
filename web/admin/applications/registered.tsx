import { Loaded, useAnswer } from '../../elements/loading.tsx';
import { t } from '../../texts/texts.ts';
import { FirstSignIn, type RegisteredUri } from './first-sign-in.tsx';
import type { Template } from './template.ts';

interface Provider {
  readonly redirect_uris?: readonly RegisteredUri[];
  readonly post_logout_redirect_uris?: readonly RegisteredUri[];
  readonly backchannel_logout_uri?: string;
  readonly acs_url?: string;
  readonly audience?: string;
  readonly sls_url?: string;
}

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
  const read = useAnswer<Provider>(provider);
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

const rowsOf = (provider: Provider) => [
  { label: t('Redirect URIs'), texts: urlsOf(provider.redirect_uris) },
  { label: t('After signing out'), texts: urlsOf(provider.post_logout_redirect_uris) },
  { label: t('Back-channel logout address'), texts: [provider.backchannel_logout_uri ?? ''] },
  { label: t('Assertion consumer service'), texts: [provider.acs_url ?? ''] },
  { label: t('Audience'), texts: [provider.audience ?? ''] },
  { label: t('Sign-out URL'), texts: [provider.sls_url ?? ''] },
];
