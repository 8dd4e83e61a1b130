import './events.css';
import { isObject } from '../../api/is-object.ts';
import type { BannerProps } from '../resource-page.ts';
import { ChangesTable } from './changes-table.tsx';
import { ContextTable } from './context-table.tsx';
import { RequestLine } from './request-line.tsx';

/** What an event changed, and the request that it came from. */
export function AboveEvent({ object: { row } }: BannerProps) {
  const context = isObject(row.context) ? row.context : {};
  const { diff, http_request } = context;
  const hasChanges = isObject(diff) && Object.keys(diff).length > 0;
  if (Object.keys(context).length === 0) return null;
  return (
    <div className="card stack">
      {hasChanges && <ChangesTable diff={diff} />}
      <ContextTable context={context} />
      <RequestLine request={http_request} />
    </div>
  );
}
