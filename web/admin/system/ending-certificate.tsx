import { ExactMoment } from '../../elements/moment.tsx';
import { Notice } from '../../elements/notice.tsx';
import { Rich } from '../../texts/rich.tsx';
import { type Text, t } from '../../texts/texts.ts';
import { hereWith, hrefOf } from '../address.ts';
import { useInterface } from '../api/interface.ts';
import { Link } from '../link.tsx';
import type { BannerProps } from '../resource-page.ts';
import { endsSoon, isOver } from './maintenance.ts';

const ourOwn: Text =
  'To replace it, generate a new pair and choose it wherever this one is used. Applications that sign in by SAML also need the new certificate or our new metadata. Then delete this one.';
const another: Text =
  'It has no private key here, so it belongs to an application or another server: ask there for the new one, and store it with “Edit”.';

/** Warns of a certificate that expires soon, and says how to replace it. */
export function EndingCertificate({ object: { row } }: BannerProps) {
  const { user } = useInterface();
  const { cert_expiry: ends, private_key_available: isOwn } = row;
  if (typeof ends !== 'string' || !endsSoon(ends)) return null;
  const when = <ExactMoment at={ends} />;
  return (
    <Notice tone={isOver(ends) ? 'bad' : 'warn'}>
      <p>
        {isOver(ends) ? (
          <Rich
            text="This certificate expired {when}. Others may reject what it signs or encrypts."
            values={{ when }}
          />
        ) : (
          <Rich
            text="This certificate expires {when}. After that, others may reject what it signs or encrypts."
            values={{ when }}
          />
        )}{' '}
        {t(isOwn ? ourOwn : another)}
      </p>
      <div className="row">
        {isOwn === true && user.is_superuser && (
          <Link className="button" href={hrefOf('/crypto/certificatekeypairs/', { dialog: 'run-generate' })}>
            {t('Generate a new pair')}
          </Link>
        )}
        <Link className="button" href={hereWith({ tab: 'used-by' })}>
          {t('See where it is used')}
        </Link>
      </div>
    </Notice>
  );
}
