import type { Json } from '../../../lib/json.ts';
import type { Candidate } from '../../../provider/sync/remote.ts';
import type { Send } from '../../../provider/sync/send.ts';
import { idOf, listOf, memberOf, resourceOf } from './answers.ts';

const count = 100;
/** Limits the pages of a server that never reports the end of its list. */
const maxPages = 100_000;

/** All resources of an endpoint. It ends with an empty page, or past the total that the server told. */
export async function* pagesOf(
  send: Send,
  url: string,
  namesOf: (resource: Json) => readonly string[],
): AsyncIterable<readonly Candidate[]> {
  let startIndex = 1;
  for (let page = 0; page < maxPages; page++) {
    const answer = await send({ method: 'GET', url: `${url}?startIndex=${startIndex}&count=${count}` });
    const resources = listOf(answer, 'Resources');
    if (resources.length === 0) return;
    yield resources
      .filter((resource) => idOf(resource) !== null)
      .map((resource) => ({ ...resourceOf(resource), names: namesOf(resource).filter((name) => name !== '') }));
    startIndex += resources.length;
    const total = memberOf(answer, 'totalResults');
    if (typeof total === 'number' && startIndex > total) return;
  }
}
