import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { operationsFile, operationsMarkdown } from '../../scripts/write-operations.ts';
import { describeOnSqlite } from '../support/server.ts';

describeOnSqlite('docs/operations.md', (server) => {
  test('lists every operation that is served', () => {
    const isCurrent = readFileSync(operationsFile, 'utf8') === operationsMarkdown(server().app.operations);
    expect(isCurrent, 'docs/operations.md is out of date: run `npm run docs` and commit it').toBe(true);
  });
});
