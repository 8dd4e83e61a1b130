import './events.css';
import { isObject } from '../../api/is-object.ts';
import type { BannerProps } from '../resource-page.ts';
import { ChangesTable } from './changes-table.tsx';
import { RequestLine } from './request-line.tsx';

/** What an event changed, and the request that it came from. */
export function AboveEvent({ object: { row } }: BannerProps) {
  const { diff, http_request } = isObject(row.context) ? row.context : {};
  const hasChanges = isObject(diff) && Object.keys(diff).length > 0;
  if (!hasChanges && !isObject(http_request)) return null;
  return (
    <div className="card stack">
      {hasChanges && <ChangesTable diff={diff} />}
      <RequestLine request={http_request} />
    </div>
  );
}
