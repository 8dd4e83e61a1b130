import { useState } from 'react';
import { t } from '../../texts/texts.ts';
import './detail.css';
import { useAddress } from '../address.ts';
import type { ResourcePage } from '../resource-page.ts';
import { UsedByTab } from './used-by.tsx';

/** What uses an object, read once it is unfolded. */
export function FoldedUses({ entry, objectKey }: Pick<ResourcePage, 'entry' | 'objectKey'>) {
  const isAsked = useAddress().query.get('tab') === 'used-by';
  const [isOpen, setOpen] = useState(isAsked);
  return (
    <details className="card folded-uses" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('Used by')}</summary>
      {isOpen && <UsedByTab entry={entry} objectKey={objectKey} />}
    </details>
  );
}
