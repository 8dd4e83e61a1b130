import { apiFetch } from '../../api/call.ts';
import type { Member } from '../api/document.ts';
import type { Row } from '../api/objects.ts';

/** The objects that fields propose for a new object, by the names of the fields; none that the caller may not see. */
export async function readProposals(members: readonly Member[]): Promise<Row> {
  return Object.fromEntries((await Promise.all(members.map(proposalOf))).flat());
}

async function proposalOf({ name, note: { kind, list, proposes } }: Member): Promise<[string, unknown][]> {
  if (!list || !proposes) return [];
  const filters = Object.entries(proposes).flatMap(([filter, texts]) => [texts].flat().map((text) => [filter, text]));
  // The form works without it.
  const { results } = await apiFetch<{ results: readonly Row[] }>(
    'GET',
    `${list}?${new URLSearchParams(filters)}`,
  ).catch(() => ({ results: [] }));
  const keys = results.filter(({ enabled }) => enabled !== false).map(({ pk }) => pk);
  return keys.length > 0 ? [[name, kind === 'references' ? keys : keys[0]]] : [];
}
