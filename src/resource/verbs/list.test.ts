import { expect, test } from 'vitest';
import { estimatedPage } from './list.ts';

const stored = Array.from({ length: 45 }, (_, pk) => ({ pk }));

/** The page of a list whose number of rows is estimated. */
function pageOf(asked: string, estimate: number) {
  const read = async ({ limit, offset }: { limit: number; offset: number }) => stored.slice(offset, offset + limit);
  return estimatedPage({ asked, size: 10, firstRows: null, read }, estimate);
}

test.each([0, 12, 45, 1_000])(
  'whoever goes on to the next page sees all rows if %i are estimated',
  async (estimate) => {
    const seen: unknown[] = [];
    for (let next = 1; next > 0; ) {
      const { page, rows, count } = await pageOf(String(next), estimate);
      seen.push(...rows);
      next = count > page * 10 ? page + 1 : 0;
    }
    expect(seen).toEqual(stored);
  },
);

test('a page behind the last row is refused although the number of rows is an estimate', async () => {
  await expect(pageOf('6', 1_000)).rejects.toMatchObject({ code: 'invalid_page' });
  await expect(pageOf(`${10 ** 12}`, 1_000)).rejects.toMatchObject({ code: 'invalid_page' });
});
