import { Refusal } from './json-server.ts';

/**
 * What a directory has just made is not known everywhere in it: each new object is missing for so many of the requests
 * that name it.
 */
export interface Lag {
  requests: number;
  begin(id: string): void;
  check(id: string): void;
}

export function createLag(): Lag {
  const left = new Map<string, number>();
  const lag: Lag = {
    requests: 0,
    begin: (id) => {
      left.set(id, lag.requests);
    },
    check: (id) => {
      const count = left.get(id) ?? 0;
      if (count === 0) return;
      left.set(id, count - 1);
      throw new Refusal(404, { error: { message: `Resource Not Found: ${id}` } });
    },
  };
  return lag;
}
