import { Rich } from '../../texts/rich.tsx';
import { t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import { Link } from '../link.tsx';
import { Page } from '../page.tsx';

export function NotFound() {
  return (
    <Page title={t('There is no such page')}>
      <p>{t('Nothing is at this address, or nothing that you may see.')}</p>
      <p>
        <Rich
          text="Go to the <link>start page</link>, or press <kbd>/</kbd> to search."
          values={{
            link: (words) => <Link href={hrefOf('/')}>{words}</Link>,
            kbd: (words) => <kbd>{words}</kbd>,
          }}
        />
      </p>
    </Page>
  );
}
