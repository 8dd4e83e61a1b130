import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** A node of the syntax tree (ESTree), with the members that are read here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly name?: string;
  readonly id?: Node;
  readonly tag?: Node;
  readonly quasi?: Node;
  readonly quasis?: readonly { readonly value: { readonly cooked: string } }[];
  readonly expressions?: readonly Node[];
  readonly callee?: Node;
  readonly arguments?: readonly Node[];
  readonly argument?: Node;
  readonly init?: Node;
  readonly body?: Node | readonly Node[];
  readonly source?: { readonly value: string };
  readonly specifiers?: readonly { readonly local: Node; readonly imported?: Node }[];
  readonly members?: readonly Node[];
  readonly key?: { readonly name?: string; readonly value?: string };
  readonly optional?: boolean;
  readonly types?: readonly Node[];
  readonly typeName?: Node;
  readonly typeArguments?: { readonly params: readonly Node[] } | null;
  readonly typeAnnotation?: Node;
  readonly literal?: { readonly value: string };
  readonly extends?: readonly (Node & { readonly expression: Node })[];
}

interface Module {
  readonly path: string;
  readonly text: string;
  readonly nodes: readonly Node[];
  /** What is declared here, by name; null if several things have the name. */
  readonly types: ReadonlyMap<string, Node | null>;
  readonly values: ReadonlyMap<string, Node | null>;
  readonly imports: ReadonlyMap<string, { readonly path: string; readonly name: string }>;
}

function* nodesIn(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value && typeof value.type === 'string') yield value as Node;
  for (const child of Object.values(value)) yield* nodesIn(child);
}

function load(path: string): Module {
  const text = readFileSync(join(root, path), 'utf8');
  const nodes = [...nodesIn(parseAst(text, { lang: 'ts' }))];
  const types = new Map<string, Node | null>();
  const values = new Map<string, Node | null>();
  const imports = new Map<string, { path: string; name: string }>();
  for (const node of nodes) {
    const name = node.id?.name ?? '';
    const add = (to: typeof types, what: Node | undefined) => to.set(name, to.has(name) ? null : (what ?? null));
    if (/^TS(Interface|TypeAlias)Declaration$/.test(node.type)) add(types, node);
    if (node.type === 'VariableDeclarator') add(values, node.init);
    if (node.type === 'FunctionDeclaration') add(values, node);
    const from = node.type === 'ImportDeclaration' ? (node.source?.value ?? '') : '';
    if (!from.startsWith('.')) continue;
    for (const { local, imported } of node.specifiers ?? []) {
      if (!local.name || !imported?.name) continue;
      imports.set(local.name, { path: relative(root, resolve(root, dirname(path), from)), name: imported.name });
    }
  }
  return { path, text, nodes, types, values, imports };
}

const files = globSync('src/**/*.ts', { cwd: root }).filter((path) => !path.endsWith('.test.ts'));
const modules = new Map(files.map((path) => [path, load(path)]));

interface Found {
  readonly module: Module;
  readonly node: Node;
}

function find(module: Module, name: string, what: 'types' | 'values'): Found | null {
  const node = module[what].get(name);
  if (node !== undefined) return node && { module, node };
  const imported = module.imports.get(name);
  const from = imported && modules.get(imported.path);
  return from ? find(from, imported.name, what) : null;
}

/** Members of a type, by whether they are optional; null if it is not one that can be read here. */
type Members = ReadonlyMap<string, boolean> | null;

function allOf(members: readonly Members[]): Members {
  const all = new Map<string, boolean>();
  for (const some of members) {
    if (!some) return null;
    for (const [name, isOptional] of some) all.set(name, isOptional);
  }
  return all;
}

const propertiesIn = (members: readonly Node[]): Members =>
  members.every(({ type }) => type === 'TSPropertySignature')
    ? new Map(members.map(({ key, optional }) => [key?.name ?? key?.value ?? '', optional === true]))
    : null;

const literalsIn = (node: Node | undefined): string[] =>
  node?.types ? node.types.flatMap(literalsIn) : [node?.literal?.value ?? ''];

function membersOf(module: Module, node: Node | undefined): Members {
  if (node?.type === 'TSTypeLiteral') return propertiesIn(node.members ?? []);
  if (node?.type === 'TSIntersectionType') return allOf((node.types ?? []).map((part) => membersOf(module, part)));
  if (node?.type !== 'TSTypeReference') return null;
  const [first, second] = node.typeArguments?.params ?? [];
  const name = node.typeName?.name ?? '';
  if (name === 'Pick') return new Map(literalsIn(second).map((member) => [member, false]));
  if (name === 'Omit') {
    const omitted = literalsIn(second);
    const all = membersOf(module, first);
    return all && new Map([...all].filter(([member]) => !omitted.includes(member)));
  }
  const found = find(module, name, 'types');
  if (!found) return null;
  if (found.node.type === 'TSTypeAliasDeclaration') return membersOf(found.module, found.node.typeAnnotation);
  const body = [found.node.body ?? []].flat()[0]?.body ?? [];
  const bases = (found.node.extends ?? []).map(({ expression, typeArguments = null }) =>
    membersOf(found.module, { type: 'TSTypeReference', start: 0, typeName: expression, typeArguments }),
  );
  return allOf([...bases, propertiesIn([body].flat())]);
}

/** Stands in a statement for what is known when it is rendered. */
const unknown = '\u0000';
const maxDepth = 6;

/** What a function returns in its only `return`. */
function returnedBy(node: Node | null | undefined): Node | null {
  if (!node?.body) return null;
  if (node.type === 'ArrowFunctionExpression' && !Array.isArray(node.body)) {
    const body = node.body as Node;
    if (body.type !== 'BlockStatement') return body;
  }
  const statements = [[node.body].flat()[0]?.body ?? []].flat();
  const returns = statements.filter(({ type }) => type === 'ReturnStatement');
  return returns.length === 1 ? (returns[0]?.argument ?? null) : null;
}

/** The text of a `sql` template, with those of the templates that are part of it. */
function textOf(module: Module, node: Node | null, depth = 0): string {
  if (!node || depth > maxDepth) return unknown;
  if (node.tag?.name === 'sql') {
    const { quasis = [], expressions = [] } = node.quasi ?? {};
    return quasis
      .map(({ value }, at) => {
        const part = expressions[at];
        return value.cooked + (part ? textOf(module, part, depth + 1) : '');
      })
      .join('');
  }
  const called = node.type === 'CallExpression' ? node.callee?.name : undefined;
  const found = find(module, called ?? node.name ?? '', 'values');
  if (!found) return unknown;
  return textOf(found.module, called === undefined ? found.node : returnedBy(found.node), depth + 1);
}

interface Columns {
  readonly names: readonly string[];
  /** Whether they are all. */
  readonly isWhole: boolean;
}

const withoutNested = (text: string): string => {
  let flat = text.replaceAll(/'(?:[^']|'')*'/g, "''");
  for (let before = ''; before !== flat; ) {
    before = flat;
    flat = flat.replaceAll(/\([^()]+\)/g, '()');
  }
  return flat.replaceAll(/\s+/g, ' ').trim();
};

/** The columns that a statement returns. */
function columnsOf(text: string): Columns {
  const flat = withoutNested(text);
  const list =
    /\breturning (.*)$/.exec(flat)?.[1] ??
    /\bselect (?:distinct (?:on \(\) )?)?(.*?)(?: (?:from|union|where|limit) .*)?$/.exec(flat)?.[1] ??
    '*';
  const names = list.split(',').map((item) => {
    const named = /\bas "?(\w+)"?$/.exec(item.trim()) ?? /^(?:\w+\.)?"?(\w+)"?$/.exec(item.trim());
    return named?.[1];
  });
  return { names: names.filter((name) => name !== undefined), isWhole: !names.includes(undefined) };
}

interface Claim {
  readonly at: string;
  readonly members: Members;
  readonly columns: Columns;
}

/** Types of rows that claim nothing. */
const nothingClaimed = ['TSUnknownKeyword', 'TSNeverKeyword', 'TSUnionType'];
/** By name: the type argument for the rows. */
const preparing: Readonly<Record<string, number>> = { statement: 1, dialectStatement: 1 };

function textOfBuilder(module: Module, build: Node | undefined): string {
  const found = build?.name ? find(module, build.name, 'values') : build && { module, node: build };
  return found ? textOf(found.module, returnedBy(found.node)) : unknown;
}

/** The statements of a module, each with the rows that its author claims. */
function claimsIn(module: Module): Claim[] {
  return module.nodes.flatMap((node) => {
    const isTemplate = node.tag?.name === 'sql';
    const type = node.typeArguments?.params[isTemplate ? 0 : (preparing[node.callee?.name ?? ''] ?? -1)];
    if (!type || nothingClaimed.includes(type.type) || type.type.endsWith('Keyword')) return [];
    const text = isTemplate ? textOf(module, node) : textOfBuilder(module, node.arguments?.[0]);
    const at = `${module.path}:${module.text.slice(0, node.start).split('\n').length}`;
    return [{ at, members: membersOf(module, type), columns: columnsOf(text) }];
  });
}

test('statements return the columns of the row type that they claim', () => {
  const claims = [...modules.values()].flatMap(claimsIn);
  const wrong = claims.flatMap(({ at, members, columns: { names, isWhole } }) => {
    if (!members) return [];
    const missing = [...members].filter(([name, isOptional]) => isWhole && !isOptional && !names.includes(name));
    const extra = names.filter((name) => !members.has(name));
    return [
      ...missing.map(([name]) => `${at}: ${name} is not selected`),
      ...extra.map((name) => `${at}: ${name} is not in the type`),
    ];
  });
  expect(wrong).toEqual([]);
  // Of a few, columns or types are known only at run time.
  expect(claims.filter(({ members, columns }) => members && columns.isWhole).length).toBeGreaterThan(330);
});
