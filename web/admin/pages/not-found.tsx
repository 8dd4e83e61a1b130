import { useEffect } from 'react';
import { Rich } from '../../texts/rich.tsx';
import { t } from '../../texts/texts.ts';
import { hrefOf, useAddress } from '../address.ts';
import { useInterface } from '../api/interface.ts';
import { dropRecent } from '../frame/recent.ts';
import { Link } from '../link.tsx';
import { Page } from '../page.tsx';

export function NotFound() {
  const { path } = useAddress();
  const { pk } = useInterface().user;
  useEffect(() => dropRecent(pk, path), [pk, path]);
  return (
    <Page title={t('Page not found')}>
      <p>{t('This page does not exist, or you do not have permission to view it.')}</p>
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
