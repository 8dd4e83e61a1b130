import { Logo } from '../../page/logo.tsx';
import { SignOutLink } from '../../page/sign-out.tsx';
import { t } from '../../texts/texts.ts';
import { goTo, hereWith, hrefOf } from '../address.ts';
import { useInterface } from '../api/interface.ts';
import { Link } from '../link.tsx';
import { commandKey } from './keys.ts';
import { ThemeChoice } from './theme.tsx';

export function Header() {
  const { user } = useInterface();
  return (
    <header className="admin-header">
      <Link href={hrefOf('/')} className="admin-brand">
        <Logo />
      </Link>
      <button type="button" className="admin-search" onClick={() => goTo(hereWith({ dialog: 'search' }))}>
        <span>{t('Search')}</span>
        <kbd>{commandKey} K</kbd>
      </button>
      <ThemeChoice />
      <a className="admin-person" href="/if/user/">
        <span className="initial" aria-hidden="true">
          {(user.name || user.username).charAt(0).toUpperCase()}
        </span>
        <span className="admin-person-name" dir="auto">
          {user.name || user.username}
        </span>
        <span className="visually-hidden">{t(', your account')}</span>
      </a>
      <SignOutLink className="button admin-sign-out" />
    </header>
  );
}
