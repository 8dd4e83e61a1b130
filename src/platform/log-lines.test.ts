import { expect, test } from 'vitest';
import { createLog } from './log.ts';
import { logLines } from './log-lines.ts';

function shown(write: (log: ReturnType<typeof createLog>) => void): string {
  let text = '';
  write(
    createLog({
      level: 'info',
      stream: logLines({
        write(line) {
          text += line;
        },
      }),
    }),
  );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the colours
  return text.replaceAll(/\u001b\[\d+m/g, '');
}

test('a terminal shows a line for each entry: time, level, words, members', () => {
  const text = shown((log) => log.info({ address: 'http://localhost:9000', count: 2 }, 'Gatehouse is ready'));
  expect(text).toMatch(/^\d\d:\d\d:\d\d INFO {2}Gatehouse is ready address=http:\/\/localhost:9000 count=2\n$/);
});

test('a terminal shows where an error came from, and still no secrets', () => {
  const text = shown((log) => log.error({ err: new Error('broken'), password: 'hunter2' }, 'a stage failed'));
  expect(text).toContain('ERROR a stage failed');
  expect(text).toMatch(/\n {4}Error: broken\n {8}at /);
  expect(text).not.toContain('hunter2');
});

test('what strangers sent cannot steer the terminal', () => {
  const text = shown((log) => log.warn({ agent: 'a\u001b[2Jb\r\nc\u009b1md\u007f' }, 'x\u001b]0;title\u0007y'));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
  expect(text.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
});
