import type { IdentificationChallenge } from '../../api/types.ts';
import { t } from '../../texts/texts.ts';
import './source-buttons.css';
import { lazy, Suspense, useState } from 'react';
import { PasskeyIcon } from '../../elements/icons.tsx';
import { Notice } from '../../elements/notice.tsx';
import { mediaComponent, redirectComponent } from '../challenge.ts';
import { safeAddress, withNext } from '../safe-address.ts';

export type LoginSource = IdentificationChallenge['sources'][number];

const MediaSignIn = lazy(async () => ({ default: (await import('./media-sign-in.tsx')).MediaSignIn }));

interface Props {
  readonly sources: readonly LoginSource[];
  readonly hasLabels: boolean;
  readonly passwordless: string | null;
  /** Whether there is also a form to fill in. */
  readonly isAlternative: boolean;
}

/** Ways to sign in other than name and password. */
export function SourceButtons({ sources, hasLabels, passwordless, isAlternative }: Props) {
  const [chosen, setChosen] = useState<LoginSource | null>(null);
  return (
    <section className="stack" aria-label={t('Other ways to sign in')}>
      {isAlternative && <p className="or">{t('or')}</p>}
      <div className={hasLabels ? 'sources' : 'sources sources-icons'}>
        {passwordless && (
          <a className="button source-named" href={passwordless}>
            <PasskeyIcon />
            {t('Use a security key or passkey')}
          </a>
        )}
        {sources.map((source) => (
          <SourceButton key={source.name} source={source} hasLabel={hasLabels} onChoose={() => setChosen(source)} />
        ))}
      </div>
      {chosen && <Suspense fallback={<p role="status">{t('One moment…')}</p>}>{bySource(chosen)}</Suspense>}
    </section>
  );
}

/** Icons of a protocol: they do not tell which service it is. */
const sharedIcons = /\/static\/sources\/(saml|oauth|oauth\/(?:oauth2|openidconnect))\.svg$/;

function SourceButton({ source, hasLabel, onChoose }: { source: LoginSource; hasLabel: boolean; onChoose(): void }) {
  const { name, icon_url, challenge } = source;
  const icon = safeAddress(icon_url);
  const words = t('Continue with {name}', { name });
  const isNamed = hasLabel || !icon || sharedIcons.test(icon);
  const face = (
    <>
      {icon ? <img src={icon} alt="" width="20" height="20" /> : <Monogram name={name} />}
      {isNamed ? words : <span className="visually-hidden">{words}</span>}
    </>
  );
  const look = isNamed ? 'button source-named' : 'button';
  const to = challenge.component === redirectComponent ? withNext(challenge.to) : null;
  return to ? (
    <a className={look} href={to} title={name}>
      {face}
    </a>
  ) : (
    <button type="button" className={look} title={name} onClick={onChoose}>
      {face}
    </button>
  );
}

const Monogram = ({ name }: { name: string }) => (
  <span className="source-letter" aria-hidden="true">
    {name.trim().charAt(0).toLocaleUpperCase()}
  </span>
);

function bySource({ name, challenge }: LoginSource) {
  if (challenge.component === mediaComponent) return <MediaSignIn name={name} challenge={challenge} />;
  return <Notice tone="bad">{t('This page does not support signing in with {name}.', { name })}</Notice>;
}
