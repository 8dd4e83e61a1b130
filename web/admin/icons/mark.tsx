import { useState } from 'react';
import { safeAddress } from '../../flow/safe-address.ts';
import type { Row } from '../api/objects.ts';
import { Face } from './face.tsx';
import { KindIcon } from './kind-icon.tsx';

/** The logo of an object; the icon of its kind if it has none. */
export function Mark({ address, path }: { address: unknown; path: string }) {
  const [isMissing, setMissing] = useState(false);
  const safe = typeof address === 'string' ? safeAddress(address) : null;
  if (!safe || isMissing) return <KindIcon path={path} />;
  return <img className="icon" src={safe} alt="" onError={() => setMissing(true)} />;
}

/** The picture of a row in lists of people, applications, and objects of several kinds. */
export function RowMark({ row, path }: { row: Row; path: string }) {
  if (path === '/core/users/')
    return <Face name={String(row.name || row.username)} picture={String(row.avatar ?? '')} />;
  if (path === '/core/applications/') return <Mark address={row.meta_icon} path={path} />;
  return 'meta_model_name' in row ? <KindIcon path={path} /> : null;
}
