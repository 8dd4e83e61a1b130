import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { calleeOf, childrenOf, isNode, lineAt, type Node } from './source-tree.ts';

const src = fileURLToPath(new URL('../../src/', import.meta.url));

export interface ServerText {
  /** With `{}` in place of values. */
  readonly text: string;
  readonly place: string;
  /** Whether people are told it: what `deny`, `refuse`, `stay`, `again` and `plainPage` get. */
  readonly isTold: boolean;
}

/** All strings in the sources of the server. */
export function stringsOfServer(): ServerText[] {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' });
  return files.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts')).flatMap(stringsOf);
}

const tellers = new Set(['deny', 'refuse', 'stay', 'again', 'plainPage']);
const told =
  /^(flow|source|kinds\/(policies|stages|sources\/saml)|provider\/authorize|kinds\/providers\/.*(page|logout|routes).*)/;
const untold = new Set(['to', 'action', 'hidden', 'name', 'status', 'frames', 'goOnTo', 'leadsTo', 'value']);

function stringsOf(file: string): ServerText[] {
  const source = readFileSync(join(src, file), 'utf8');
  const found: ServerText[] = [];
  function visit(node: Node, isTold: boolean): void {
    if (node.type === 'ImportDeclaration') return;
    const text = textOf(node);
    const isWords = text !== null && /\p{L}{2}.* .*\p{L}|\p{Lu}\p{Ll}/u.test(text);
    if (text !== null)
      found.push({
        text,
        place: `src/${file}:${lineAt(source, node.start)}`,
        isTold: isTold && isWords && told.test(file),
      });
    const callee = calleeOf(node);
    // Names of members that hold data, not words.
    const isData = node.type === 'Property' && isNode(node.key) && untold.has(String(node.key.name));
    const isInside = callee ? tellers.has(callee) : isTold && !isData;
    for (const child of childrenOf(node)) visit(child, isInside && child !== node.callee && child !== node.key);
  }
  visit(parseAst(source, { lang: 'ts' }) as unknown as Node, false);
  return found;
}

function textOf(node: Node): string | null {
  // Titles of flows have a place for the application.
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value.replace('%(app)s', '{}');
  if (node.type !== 'TemplateLiteral' || !Array.isArray(node.quasis)) return null;
  return node.quasis.map((part) => String(Object(part.value).cooked)).join('{}');
}
