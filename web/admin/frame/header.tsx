import { CircleUserRound, Keyboard, LogOut, Search } from 'lucide-react';
import { Popover } from '../../elements/popover.tsx';
import { Logo } from '../../page/logo.tsx';
import { SignOutLink } from '../../page/sign-out.tsx';
import { t } from '../../texts/texts.ts';
import { goTo, hereWith, hrefOf } from '../address.ts';
import { useInterface } from '../api/interface.ts';
import { Face } from '../icons/face.tsx';
import { Link } from '../link.tsx';
import { Appearance } from './appearance.tsx';
import { Bell } from './bell.tsx';
import { commandKey } from './keys.ts';

export function Header() {
  return (
    <header className="admin-header">
      <Link href={hrefOf('/')} className="admin-brand">
        <Logo />
      </Link>
      <button type="button" className="admin-search" onClick={() => goTo(hereWith({ dialog: 'search' }))}>
        <Search className="icon" />
        <span>{t('Search')}</span>
        <kbd>{commandKey} K</kbd>
      </button>
      <Bell />
      <Appearance />
      <AccountMenu />
    </header>
  );
}

function AccountMenu() {
  const { user } = useInterface();
  const name = user.name || user.username;
  return (
    <Popover label={t('Account menu')} className="account-button" icon={<Face name={name} />}>
      <p className="account-panel-person">
        <strong dir="auto">{name}</strong>
        <span className="quiet small" dir="auto">
          {user.email || user.username}
        </span>
      </p>
      <div className="account-panel-links">
        <a href="/if/user/">
          <CircleUserRound className="icon" />
          {t('Your account')}
        </a>
        <Link href={hereWith({ dialog: 'shortcuts' })}>
          <Keyboard className="icon" />
          {t('Keyboard shortcuts')}
        </Link>
        <SignOutLink className="">
          <LogOut className="icon" />
          {t('Sign out')}
        </SignOutLink>
      </div>
    </Popover>
  );
}
