import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { findChromium } from '../support/chromium.ts';
import { walkFirstHour } from '../support/first-hour.ts';

const executablePath = await findChromium();
const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
const shown = [...readFileSync(join(docs, 'first-hour.md'), 'utf8').matchAll(/!\[[^\]]+\]\((pictures\/[^)]+)\)/g)].map(
  ([, path]) => path as string,
);

describe('the first hour with Gatehouse', () => {
  test('has in docs/first-hour.md every picture of docs/pictures, none missing and none too large', () => {
    const files = readdirSync(join(docs, 'pictures')).map((name) => `pictures/${name}`);
    expect(shown.toSorted()).toEqual(files.toSorted());
    const kilobytes = files.map((path) => [path, statSync(join(docs, path)).size / 1000]);
    expect(kilobytes.filter(([, size]) => Number(size) > 90)).toEqual([]);
  });

  test.skipIf(!executablePath)(
    'can be walked as docs/first-hour.md tells it, past every picture in its order',
    async () => {
      const { pictures, complaints, done } = await walkFirstHour(executablePath as string, async () => {});
      expect(complaints).toEqual([]);
      expect(pictures.map((name) => `pictures/${name}.webp`)).toEqual(shown);
      expect(done).toEqual(['password', 'second_factor', 'application', 'backup']);
    },
  );
});
