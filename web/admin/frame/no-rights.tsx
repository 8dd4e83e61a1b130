import { useEffect } from 'react';
import { useBrand } from '../../page/mount-page.tsx';
import { SignOutLink } from '../../page/sign-out.tsx';
import { Rich } from '../../texts/rich.tsx';
import { t } from '../../texts/texts.ts';
import type { Person } from '../api/interface.ts';

/** For people without any administrative permission. */
export function NoRights({ person }: { person: Person }) {
  const { branding_title } = useBrand();
  const title = t('Nothing to administer');
  useEffect(() => {
    document.title = `${title} · ${branding_title}`;
  }, [title, branding_title]);
  return (
    <main className="fault">
      <h1>{title}</h1>
      <p>
        <Rich
          text="These pages are for administrators, and the account <b>{username}</b> has no rights here. Your own applications, devices and tokens are on your account page."
          values={{ username: person.username, b: (words) => <strong>{words}</strong> }}
        />
      </p>
      <p className="quiet">
        {t(
          'If you need permissions, ask an administrator to add you to a group that grants them, then load this page again.',
        )}
      </p>
      <div className="row">
        <a className="button button-primary" href="/if/user/">
          {t('Go to your account')}
        </a>
        <SignOutLink>{t('Sign in as another user')}</SignOutLink>
      </div>
    </main>
  );
}
