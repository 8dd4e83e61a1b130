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
  /** Whether people are told it: what `deny`, `refuse`, `stay`, `again` and `plainPage` get, and messages of events. */
  readonly isTold: boolean;
}

/** All strings in the sources of the server. */
export function stringsOfServer(): ServerText[] {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' });
  return files.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts')).flatMap(stringsOf);
}

const tellers = new Set(['deny', 'refuse', 'stay', 'again', 'plainPage']);
const told =
  /^(flow|source|kinds\/(policies|stages|sources)|provider\/authorize|kinds\/providers\/.*(page|logout|routes).*)/;
/** Objects whose `message` is that of an event. */
const eventParts = new Set(['context', 'event', 'about']);
const untold = new Set(['to', 'action', 'hidden', 'name', 'status', 'frames', 'goOnTo', 'leadsTo', 'value']);

function stringsOf(file: string): ServerText[] {
  const source = readFileSync(join(src, file), 'utf8');
  const found: ServerText[] = [];
  function visit(node: Node, isTold: boolean, isOfEvent = false): void {
    if (node.type === 'ImportDeclaration') return;
    const text = textOf(node);
    const isWords = text !== null && /\p{L}{2}.* .*\p{L}|\p{Lu}\p{Ll}/u.test(text);
    if (text !== null)
      found.push({
        text,
        place: `src/${file}:${lineAt(source, node.start)}`,
        isTold: isTold && isWords && (told.test(file) || isOfEvent) && !/demo/.test(file),
      });
    const callee = calleeOf(node);
    // Names of members that hold data, not words.
    const isData = node.type === 'Property' && isNode(node.key) && untold.has(String(node.key.name));
    const named = nameOf(node);
    const isEvent = isOfEvent || (named !== null && eventParts.has(named) && !callee);
    const isMessage = isEvent && node.type === 'Property' && named === 'message';
    const isInside = isMessage || (callee ? tellers.has(callee) : isTold && !isData);
    for (const child of childrenOf(node))
      visit(child, isInside && child !== node.callee && child !== node.key, isEvent && !callee);
  }
  visit(parseAst(source, { lang: 'ts' }) as unknown as Node, false);
  return found;
}

/** What a member or a variable is called. */
function nameOf(node: Node): string | null {
  const name = node.type === 'Property' ? node.key : node.type === 'VariableDeclarator' ? node.id : null;
  return isNode(name) && name.type === 'Identifier' ? String(name.name) : null;
}

function textOf(node: Node): string | null {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type !== 'TemplateLiteral' || !Array.isArray(node.quasis)) return null;
  return node.quasis.map((part) => String(Object(part.value).cooked)).join('{}');
}
