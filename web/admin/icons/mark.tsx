import { useState } from 'react';
import { safeAddress } from '../../flow/safe-address.ts';
import type { Row } from '../api/objects.ts';
import { Face } from './face.tsx';
import { Initial } from './initial.tsx';
import { KindIcon } from './kind-icon.tsx';

interface Props {
  readonly address: unknown;
  /** What the object is called; the initial of an object without a logo. */
  readonly name: string;
}

/** The logo of an application, or its initial in a colour of its own. */
export function Mark({ address, name }: Props) {
  const [isMissing, setMissing] = useState(false);
  const safe = typeof address === 'string' ? safeAddress(address) : null;
  if (!safe || isMissing) return <Initial name={name} />;
  return <img className="mark" src={safe} alt="" onError={() => setMissing(true)} />;
}

/** The picture of a row in lists of people, applications, and objects that have an icon. */
export function RowMark({ row, path }: { row: Row; path: string }) {
  if (path === '/core/users/')
    return <Face name={String(row.name || row.username)} picture={String(row.avatar ?? '')} />;
  if (path === '/core/applications/') return <Mark address={row.meta_icon} name={String(row.name)} />;
  return 'meta_model_name' in row || hasIcon.has(path) ? <KindIcon path={path} /> : null;
}

/** Resources of one kind whose rows are easier to tell from those of others by its icon. */
const hasIcon: ReadonlySet<string> = new Set(['/core/groups/', '/rbac/roles/', '/flows/instances/', '/core/brands/']);
