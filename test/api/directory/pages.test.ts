import { expect, test } from 'vitest';
import { describeOnBoth } from '../../support/server.ts';

/** The statement of a page is rendered once for each shape, so these follow upon each other. */
describeOnBoth('pages of one list by turns', (server) => {
  const names = async (query: string): Promise<string[]> => {
    const { body } = await server().admin.get(`/core/groups/?search=paged-&${query}`);
    return body.results.map(({ name }: { name: string }) => name.replace('paged-', ''));
  };

  test('each page has its own order, size, place and filter', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await server().admin.post('/core/groups/', { name: `paged-${name}` });
    await server().admin.post('/core/groups/', { name: 'paged-f', is_superuser: true });
    for (let turn = 0; turn < 2; turn++) {
      expect(await names('')).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
      expect(await names('ordering=-name')).toEqual(['f', 'e', 'd', 'c', 'b', 'a']);
      expect(await names('ordering=-name&page_size=2')).toEqual(['f', 'e']);
      expect(await names('page_size=2')).toEqual(['a', 'b']);
      expect(await names('page_size=2&page=2')).toEqual(['c', 'd']);
      expect(await names('page_size=2&page=last')).toEqual(['e', 'f']);
      expect(await names('page_size=4&page=2')).toEqual(['e', 'f']);
      expect(await names('page_size=101')).toHaveLength(6);
      expect(await names('page_size=5000&ordering=-name')).toEqual(['f', 'e', 'd', 'c', 'b', 'a']);
      expect(await names('is_superuser=true')).toEqual(['f']);
      expect(await names('is_superuser=false&page_size=2')).toEqual(['a', 'b']);
      expect(await names('name=paged-c')).toEqual(['c']);
    }
  });
});
