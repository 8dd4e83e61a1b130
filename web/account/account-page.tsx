import type { SessionUser } from '../api/types.ts';
import { Rich } from '../texts/rich.tsx';
import { t } from '../texts/texts.ts';
import '../elements/surface.css';
import './account.css';
import { Suspense, useEffect, useRef } from 'react';
import { Loaded, useAnswer, Waiting } from '../elements/loading.tsx';
import { ToastProvider, useToast } from '../elements/toast.tsx';
import { nameKnownUser } from '../flow/known-user.ts';
import { takePasswordChange } from '../flow/new-password-note.ts';
import { useBrand } from '../page/mount-page.tsx';
import { AccountHeader } from './account-header.tsx';
import { AccountMenu } from './account-menu.tsx';
import { Authenticated } from './authenticated.tsx';
import { ImpersonationBanner } from './impersonation-banner.tsx';
import { SectionLink, useSlug } from './navigation.tsx';
import { PersonContext } from './person.ts';
import { Section } from './section.tsx';
import { sections } from './section-list.tsx';
import { Unseen } from './unseen.tsx';

/** The pages of the signed-in user. */
export function AccountPage() {
  return useSlug() === 'authenticated' ? <Authenticated /> : <Account />;
}

function Account() {
  const me = useAnswer<SessionUser>('/core/users/me/');
  const { branding_title } = useBrand();
  const present = me.answer.state === 'ready' && !me.answer.value.original ? me.answer.value.user : null;
  useEffect(() => {
    if (present) nameKnownUser(present);
  }, [present]);
  if (me.answer.state !== 'ready')
    return (
      <main className="account-waiting">
        <h1 className="visually-hidden">{branding_title}</h1>
        <Loaded {...me}>{() => null}</Loaded>
      </main>
    );
  const { user, original } = me.answer.value;
  return (
    <PersonContext value={{ person: user, reload: me.reload }}>
      <ToastProvider>
        <Unseen>
          <a className="skip-link" href="#content">
            {t('Skip to the content')}
          </a>
          {original && <ImpersonationBanner person={user} original={original} />}
          <AccountHeader />
          <div className="account-body">
            <AccountMenu />
            <main className="account-main" id="content" tabIndex={-1}>
              <Content />
            </main>
          </div>
        </Unseen>
      </ToastProvider>
    </PersonContext>
  );
}

function Content() {
  const slug = useSlug();
  const toast = useRef(useToast());
  useEffect(() => {
    if (takePasswordChange()) toast.current(t('Your password is changed.'));
  }, []);
  const section = sections.find((one) => one.slug === slug);
  if (!section)
    return (
      <Section title={t('Page not found')}>
        <p>
          <Rich
            text="Go to <a>your applications</a>."
            values={{ a: (parts) => <SectionLink to="">{parts}</SectionLink> }}
          />
        </p>
      </Section>
    );
  return (
    <Suspense key={slug} fallback={<Waiting />}>
      <section.Content />
    </Suspense>
  );
}
