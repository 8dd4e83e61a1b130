import { expect, test } from 'vitest';
import { importedNames, pageTypesOf, typesFile } from '../../scripts/page-types.ts';
import type { OpenApiDocument } from '../../src/resource/document/openapi-types.ts';
import { describeOnSqlite } from '../support/server.ts';

describeOnSqlite('the types of API data that pages import', (server) => {
  // `npm run types` writes the file: it runs this test with --update.
  test('are those of the OpenAPI document', async () => {
    const document = (await server().nobody.get('/schema/')).body as OpenApiDocument;
    await expect(pageTypesOf(document, importedNames())).toMatchFileSnapshot(typesFile);
  });
});
