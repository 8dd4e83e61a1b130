import { t } from '../texts/texts.ts';
import { leadsBack, type WithPendingUser } from './challenge.ts';
import { safeAddress } from './safe-address.ts';
import { CancelLink } from './step.tsx';

/** The flow's user, and the way out for anyone else. Password managers read the name too. */
export function Who({ challenge }: { challenge: WithPendingUser }) {
  const { pending_user: name, pending_user_avatar: avatar } = challenge;
  if (!name) return null;
  return (
    <div className="who">
      <img src={imageAddress(avatar)} alt="" width="40" height="40" />
      <div className="who-name">
        <span dir="auto">{name}</span>
        {!leadsBack(challenge) && <CancelLink challenge={challenge}>{t('Not you?')}</CancelLink>}
      </div>
      <input
        className="visually-hidden"
        type="text"
        name="username"
        autoComplete="username"
        value={name}
        readOnly
        tabIndex={-1}
        aria-hidden="true"
      />
    </div>
  );
}

const imageAddress = (text: string): string | undefined =>
  text.startsWith('data:image/') ? text : (safeAddress(text) ?? undefined);
