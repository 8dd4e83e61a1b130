import { CircleUserRound, LogOut, SunMoon } from 'lucide-react';
import { Popover } from '../elements/popover.tsx';
import { Logo } from '../page/logo.tsx';
import { SignOutLink } from '../page/sign-out.tsx';
import { ThemeChoice } from '../page/theme-choice.tsx';
import { t } from '../texts/texts.ts';
import { SectionLink } from './navigation.tsx';
import { isAdministrator, nameOf, usePerson } from './person.ts';
import { useUnseen } from './unseen.tsx';

export function AccountHeader() {
  const person = usePerson();
  return (
    <header className="account-header">
      <SectionLink to="" className="account-brand">
        <Logo />
      </SectionLink>
      {isAdministrator(person) && (
        <a className="button account-admin" href="/if/admin/">
          {t('Administration')}
        </a>
      )}
      <NotificationsLink />
      <Popover label={t('Appearance')} icon={<SunMoon className="icon" aria-hidden="true" />}>
        <ThemeChoice />
      </Popover>
      <Popover
        label={t('Account menu')}
        className="account-person"
        icon={
          <>
            <img src={person.avatar} alt="" width="32" height="32" />
            <span dir="auto" aria-hidden="true">
              {nameOf(person)}
            </span>
          </>
        }
      >
        <p className="account-panel-person">
          <strong dir="auto">{nameOf(person)}</strong>
          <span className="quiet small" dir="auto">
            {person.email || person.username}
          </span>
        </p>
        <div className="account-panel-links">
          <SectionLink to="profile">
            <CircleUserRound className="icon" aria-hidden="true" />
            {t('Profile')}
          </SectionLink>
          <SignOutLink className="">
            <LogOut className="icon" aria-hidden="true" />
            {t('Sign out')}
          </SignOutLink>
        </div>
      </Popover>
    </header>
  );
}

function NotificationsLink() {
  const { count } = useUnseen();
  return (
    <SectionLink to="notifications" className="button button-quiet account-bell">
      <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
        <path
          d="M12 3a6 6 0 0 0-6 6v4l-2 3v1h16v-1l-2-3V9a6 6 0 0 0-6-6Zm-2 15a2 2 0 0 0 4 0"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.75"
          strokeLinejoin="round"
        />
      </svg>
      <span className="visually-hidden">{t('Notifications')}</span>
      {count > 0 && (
        <span className="badge">
          {count > 99 ? '99+' : count}
          <span className="visually-hidden"> {t('not seen yet')}</span>
        </span>
      )}
    </SectionLink>
  );
}
