import { useEffect, useRef } from 'react';
import { Button } from '../../elements/button.tsx';
import { t } from '../../texts/texts.ts';
import type { Challenge } from '../challenge.ts';
import { safeAddress } from '../safe-address.ts';

interface Autosubmit extends Challenge {
  readonly url: string;
  readonly attrs: Readonly<Record<string, string>>;
  readonly title?: string;
}

/** Submits a form to another server by itself. */
export function AutosubmitScreen({ challenge }: { challenge: Autosubmit }) {
  const form = useRef<HTMLFormElement>(null);
  const { url, attrs, title } = challenge;
  useEffect(() => form.current?.submit(), []);
  const target = safeAddress(url);
  if (!target) return <p role="alert">{t('The redirect address is invalid.')}</p>;
  return (
    <form className="stack" method="post" action={target} ref={form}>
      <h1>{title || challenge.flow_info?.title || t('One moment…')}</h1>
      <p className="quiet">{t('You are being redirected.')}</p>
      {Object.entries(attrs).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <Button type="submit" look="primary">
        {t('Continue')}
      </Button>
    </form>
  );
}
