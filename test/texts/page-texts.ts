import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { calleeOf, childrenOf, isNode, lineAt, type Node } from './source-tree.ts';

const web = fileURLToPath(new URL('../../web/', import.meta.url));
const folders = ['account', 'admin', 'api', 'elements', 'flow', 'page', 'preview', 'texts'];

/** A string in the sources of the pages. */
export interface Found {
  readonly text: string;
  readonly place: string;
  /** Whether it is written as markup, where only `t` and `Rich` may bring text. */
  readonly isMarkup: boolean;
  /** Whether `t` or `Rich` gets it. */
  readonly isLookedUp: boolean;
}

/** Attributes whose strings no person reads. */
const silent =
  /^(className|id|type|name|href|src|role|look|tone|rel|target|method|dir|autoComplete|autoCapitalize|autoCorrect|inputMode|pattern|step|d|fill|stroke|strokeLinejoin|viewBox|width|height|download|sandbox|shapeRendering|to|slug|path|value|scope|model|accept|language|key|aria-(hidden|labelledby|live|current|controls|describedby)|data-.*)$/;

/** All strings in the sources of the pages that people see. */
export function stringsOfPages(): Found[] {
  return folders.flatMap((folder) =>
    readdirSync(join(web, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .flatMap((name) => stringsIn(readFileSync(join(web, folder, name), 'utf8'), join(folder, name))),
  );
}

export function stringsIn(source: string, file: string): Found[] {
  const found: Found[] = [];
  const add = (node: Node, text: string, isMarkup: boolean, isLookedUp: boolean) =>
    found.push({ text, place: `web/${file}:${lineAt(source, node.start)}`, isMarkup, isLookedUp });

  function visit(node: Node, parent: Node | null, attribute: string | null): void {
    if (node.type.startsWith('TS') && node.type !== 'TSAsExpression') return;
    // Faults are for developers, unless they are said by `t`.
    if (parent?.type === 'NewExpression' && calleeOf(parent) === 'Error' && node.type !== 'CallExpression') return;
    if (node.type === 'JSXText' && /\p{L}/u.test(String(node.value))) add(node, String(node.value).trim(), true, false);
    if (node.type === 'Literal' && typeof node.value === 'string') {
      const isVisible = attribute !== null && !silent.test(attribute) && /\p{L}/u.test(node.value);
      const isOfRich = parent?.type === 'JSXAttribute' && attribute === 'text';
      const isDirect = parent?.type === 'JSXAttribute' && isVisible && !isOfRich;
      add(node, node.value, isDirect, isOfRich || calleeOf(parent) === 't');
    }
    if (node.type === 'TemplateElement') {
      const cooked = isNode(node) && String(Object(node.value).cooked ?? '');
      // Words between values would be joined by hand, which other languages do in another order.
      if (cooked && attribute !== 'className' && /\p{L}{2,} \p{L}/u.test(cooked)) add(node, cooked, true, false);
    }
    const inside =
      node.type === 'JSXAttribute' && isNode(node.name)
        ? String(node.name.name)
        : node.type === 'JSXElement' || node.type === 'JSXFragment'
          ? null
          : attribute;
    for (const child of childrenOf(node)) if (node.type !== 'ImportDeclaration') visit(child, node, inside);
  }
  visit(parseAst(source, { lang: file.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node, null, null);
  return found;
}
