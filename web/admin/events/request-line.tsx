import { isObject } from '../../api/is-object.ts';
import { textOf } from '../../api/text-of.ts';
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
