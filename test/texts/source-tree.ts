/** A node of a syntax tree, as far as the tests of texts read it. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

export function childrenOf(node: Node): Node[] {
  const members = Object.entries(node).filter(([name]) => name !== 'typeAnnotation');
  return members.flatMap(([, value]) => (Array.isArray(value) ? value : [value])).filter(isNode);
}

/** The name of the function that a node calls: `deny` of `deny(…)`. */
export const calleeOf = (node: Node | null): string | null =>
  node && (node.type === 'CallExpression' || node.type === 'NewExpression') && isNode(node.callee)
    ? String(node.callee.name ?? Object(node.callee.property).name)
    : null;

export const lineAt = (source: string, at: number): number => source.slice(0, at).split('\n').length;
