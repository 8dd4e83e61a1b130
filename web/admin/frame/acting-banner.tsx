import { Rich } from '../../texts/rich.tsx';
import { t } from '../../texts/texts.ts';
import { useInterface } from '../api/interface.ts';

/** Reminds an administrator of an impersonation. */
export function ActingBanner() {
  const { user, acting } = useInterface();
  if (!acting) return null;
  return (
    <div className="admin-acting" role="status">
      <p>
        <Rich
          text="You act as <b>{name}</b>, with their rights."
          values={{ name: user.name || user.username, b: (words) => <strong>{words}</strong> }}
        />
      </p>
      <a href="/if/user/">{t('Stop on the account page')}</a>
    </div>
  );
}
