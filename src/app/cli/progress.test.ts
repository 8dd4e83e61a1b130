import { expect, test } from 'vitest';
import { createProgress } from './progress.ts';

function terminal(isTTY: boolean) {
  const texts: string[] = [];
  const stream = { isTTY, write: (text: string) => texts.push(text) > 0 };
  return { texts, stream: stream as never };
}

test('progress on a terminal rewrites one line, a few times a second', () => {
  const { texts, stream } = terminal(true);
  let now = 0;
  const progress = createProgress(stream, () => now);
  for (let rows = 0; rows <= 100; rows++) {
    now = rows * 10;
    progress.show(`${rows} rows`);
  }
  progress.finish('done');
  expect(texts).toEqual([
    '\r\u001b[K20 rows',
    '\r\u001b[K40 rows',
    '\r\u001b[K60 rows',
    '\r\u001b[K80 rows',
    '\r\u001b[K100 rows',
    '\r\u001b[Kdone',
    '\n',
  ]);
});

test('progress outside a terminal prints a line now and then, and one at the end', () => {
  const { texts, stream } = terminal(false);
  let now = 0;
  const progress = createProgress(stream, () => now);
  for (let second = 0; second <= 12; second++) {
    now = second * 1000;
    progress.show(`${second} s`);
  }
  progress.finish('done');
  expect(texts).toEqual(['5 s\n', '10 s\n', 'done\n']);
});

test('progress of short work prints only the last line', () => {
  const { texts, stream } = terminal(false);
  const progress = createProgress(stream, () => 0);
  progress.show('1 row');
  progress.finish('done');
  expect(texts).toEqual(['done\n']);
});
