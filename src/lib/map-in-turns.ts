import { setImmediate as loopTurn } from 'node:timers/promises';

const atOnce = 500;

/** Maps a list, some at a time: others are served in between. */
export async function mapInTurns<From, To>(list: readonly From[], map: (one: From) => To): Promise<To[]> {
  const mapped: To[] = [];
  for (let from = 0; from < list.length; from += atOnce) {
    if (from > 0) await loopTurn();
    for (const one of list.slice(from, from + atOnce)) mapped.push(map(one));
  }
  return mapped;
}
