import { apiRequest } from '../../api/call.ts';
import type { Row } from './objects.ts';

/** Adds a value to a list of an object as it is stored by now, which others may have changed since the page read it. */
export async function addToList(path: string, member: string, added: unknown, others: Row = {}): Promise<void> {
  const { value, etag } = await apiRequest<Row>('GET', path);
  const stored = value[member];
  const list = Array.isArray(stored) ? stored : [];
  const body = { ...others, [member]: list.includes(added) ? list : [...list, added] };
  await apiRequest('PATCH', path, { body, headers: { 'if-match': etag } });
}
