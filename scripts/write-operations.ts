// Writes docs/operations.md: every operation of the API, from the declarations that serve it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { composeApp } from '../src/app/compose.ts';
import { openWorld } from '../src/app/world.ts';
import { readConfig } from '../src/platform/config.ts';
import { createLog } from '../src/platform/log.ts';
import type { Operation } from '../src/resource/document/operation.ts';

export const operationsFile = fileURLToPath(new URL('../docs/operations.md', import.meta.url));

export function operationsMarkdown(operations: readonly Operation[]): string {
  const byTag = Map.groupBy(operations, ({ tag }) => tag);
  const tags = [...byTag.keys()].sort();
  return `${[
    '# Operations of the API',
    '',
    `Written by \`npm run docs\` from the declarations that serve the requests: ${operations.length} operations. Paths are below`,
    '`/api/v3`. The whole document, with parameters and schemas, is at `/api/v3/schema/`; `/api/v3/` shows it in a browser.',
    '',
    ...tags.flatMap((tag) => section(tag, byTag.get(tag) ?? [])),
  ]
    .join('\n')
    .trimEnd()}\n`;
}

function section(tag: string, operations: readonly Operation[]): string[] {
  const rows = operations
    .toSorted((a, b) => (a.path === b.path ? rank(a) - rank(b) : a.path < b.path ? -1 : 1))
    .map(({ method, path, id, summary, anonymous }) => {
      const open = anonymous ? ' (without signing in)' : '';
      return `| ${method} | \`${path}\` | \`${id}\` | ${summary}${open} |`;
    });
  return [`## ${tag}`, '', '| | Path | Operation | |', '|---|---|---|---|', ...rows, ''];
}

const rank = ({ method }: Operation) => ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].indexOf(method);

async function write(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-docs-'));
  try {
    const world = await openWorld(readConfig({ GATEHOUSE_DATA_DIR: folder }), createLog({ level: 'fatal' }));
    const { operations, server } = await composeApp(world);
    writeFileSync(operationsFile, operationsMarkdown(operations));
    await server.close();
    await world.close();
    process.stdout.write(`docs/operations.md lists ${operations.length} operations\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await write();
