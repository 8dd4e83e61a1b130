import type { Member } from '../api/document.ts';
import type { Row } from '../api/objects.ts';
import type { Pages } from '../api/pages.ts';

/** The objects that fields propose for a new object, by the names of the fields; none that the caller may not see. */
export async function readProposals(members: readonly Member[], pages: Pages): Promise<Row> {
  return Object.fromEntries((await Promise.all(members.map((member) => proposalOf(member, pages)))).flat());
}

async function proposalOf(
  { name, note: { kind, list, proposes } }: Member,
  pages: Pages,
): Promise<[string, unknown][]> {
  if (!list || !proposes) return [];
  const filters = Object.entries(proposes).flatMap(([filter, texts]) => [texts].flat().map((text) => [filter, text]));
  // The form works without it.
  const { results } = await pages.read<{ results: readonly Row[] }>(`${list}?${new URLSearchParams(filters)}`).then(
    ({ answer }) => answer,
    () => ({ results: [] }),
  );
  const keys = results.filter(({ enabled }) => enabled !== false).map(({ pk }) => pk);
  return keys.length > 0 ? [[name, kind === 'references' ? keys : keys[0]]] : [];
}
