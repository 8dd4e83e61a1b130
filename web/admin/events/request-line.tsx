import { isObject } from '../../api/is-object.ts';
import { t } from '../../texts/texts.ts';

/** The request that an event came from, if there was one. */
export function RequestLine({ request }: { request: unknown }) {
  if (!isObject(request)) return null;
  return (
    <p className="quiet small">
      {textOf(request.method)} {textOf(request.path)}
      {request.request_id ? ` · ${t('Request {id}', { id: textOf(request.request_id) })}` : ''}
    </p>
  );
}

/** Events may come from others, with any value: `String` would throw for an object with a member `toString`. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
