import type { TestSignIn } from '../../api/types.ts';
import './applications.css';
import { useCallback } from 'react';
import { apiFetch } from '../../api/call.ts';
import { Code } from '../../elements/code.tsx';
import { Loaded, useLoadable } from '../../elements/loading.tsx';
import { Notice } from '../../elements/notice.tsx';
import { t } from '../../texts/texts.ts';
import { hrefOf, useAddress } from '../address.ts';
import { Link } from '../link.tsx';
import { Page } from '../page.tsx';
import { NotFound } from '../pages/not-found.tsx';
import { TestLink, testAddress } from './test-link.tsx';

/** The result of a test sign-in, which redirects here. */
export function TestPage() {
  const { query } = useAddress();
  const provider = query.get('provider') ?? '';
  const slug = query.get('application') ?? '';
  const ticket = query.get('ticket');
  if (testAddress(provider) === null) return <NotFound />;
  const path = `/core/applications/${encodeURIComponent(slug)}/`;
  return (
    <Page
      title={t('Test sign-in')}
      intro={slug}
      crumbs={[
        { text: t('Applications'), href: hrefOf('/core/applications/') },
        { text: slug, href: hrefOf(path) },
      ]}
    >
      {ticket ? <TestResult provider={provider} ticket={ticket} /> : <Failure text={failures(query.get('outcome'))} />}
      <div className="row">
        <TestLink provider={provider}>{t('Test again')}</TestLink>
        <Link className="button" href={hrefOf(path, { tab: 'access' })}>
          {t('Who may use it')}
        </Link>
        <Link className="button" href={hrefOf(path)}>
          {t('Go to the application')}
        </Link>
      </div>
    </Page>
  );
}

function TestResult({ provider, ticket }: { provider: string; ticket: string }) {
  const outcome = useLoadable(
    useCallback(() => apiFetch<TestSignIn>('POST', `${provider}test_sign_in/`, { ticket }), [provider, ticket]),
  );
  return (
    <Loaded {...outcome}>
      {({ passing, message, claims }) =>
        passing ? (
          <div className="stack">
            <Notice tone="good">{t('The sign-in works. The application would receive these data about you.')}</Notice>
            {Object.entries(claims).map(([name, content]) => (
              <section key={name} className="card stack" aria-label={titleOf(name)}>
                <h2>{titleOf(name)}</h2>
                <Code text={JSON.stringify(content, null, 2)} />
              </section>
            ))}
          </div>
        ) : (
          <Failure text={message} />
        )
      }
    </Loaded>
  );
}

const Failure = ({ text }: { text: string }) => (
  <Notice tone="bad">
    <strong>{t('The sign-in does not work.')}</strong> {text}
  </Notice>
);

function titleOf(name: string): string {
  switch (name) {
    case 'id_token':
      return t('ID token');
    case 'userinfo':
      return t('Userinfo endpoint');
    case 'assertion':
      return t('Assertion');
    default:
      return t('Attributes');
  }
}

function failures(outcome: string | null): string {
  switch (outcome) {
    case 'denied':
      return t('The bindings of the application deny you access.');
    case 'off':
      return t('The application is disabled.');
    case 'missing':
      return t('The provider has no authorization flow.');
    default:
      return t('The authorization flow could not be executed.');
  }
}
