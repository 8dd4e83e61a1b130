export interface Match<T> {
  /** The path's values, by method. */
  readonly methods: ReadonlyMap<string, T>;
  readonly params: Readonly<Record<string, string>>;
}

export interface Router<T> {
  /** A path may have variable segments (`{slug}`) and may end in `*`, which matches the rest of any path. */
  add(method: string, path: string, value: T): void;
  find(path: string): Match<T> | null;
}

interface Node<T> {
  readonly fixed: Map<string, Node<T>>;
  variable: { readonly name: string; readonly node: Node<T> } | null;
  rest: Map<string, T> | null;
  readonly methods: Map<string, T>;
}

/** Longer segments match nothing. Ids chosen by SCIM clients may be long. */
const maxSegmentLength = 4_096;

const emptyNode = <T>(): Node<T> => ({ fixed: new Map(), variable: null, rest: null, methods: new Map() });

/** Finds the handler of a path: fixed segments win over variable ones, those over `*`. */
export function createRouter<T>(): Router<T> {
  const root = emptyNode<T>();
  return {
    add(method, path, value) {
      const methods = methodsAt(root, path);
      if (methods.has(method)) throw new Error(`${method} ${path} is declared twice`);
      methods.set(method, value);
    },
    find(path) {
      if (!path.startsWith('/')) return null;
      const params: Record<string, string> = {};
      const methods = walk(root, path.slice(1).split('/'), 0, params);
      return methods && { methods, params };
    },
  };
}

function methodsAt<T>(root: Node<T>, path: string): Map<string, T> {
  let node = root;
  for (const segment of path.slice(1).split('/')) {
    if (segment === '*') {
      node.rest ??= new Map();
      return node.rest;
    }
    node = childOf(node, segment, path);
  }
  return node.methods;
}

function childOf<T>(node: Node<T>, segment: string, path: string): Node<T> {
  const name = /^\{(\w+)\}$/.exec(segment)?.[1];
  if (name) {
    node.variable ??= { name, node: emptyNode() };
    if (node.variable.name !== name) throw new Error(`${path}: the variable is called ${node.variable.name} elsewhere`);
    return node.variable.node;
  }
  if (/[:{}*]/.test(segment)) throw new Error(`${path}: write variables as {name}`);
  const child = node.fixed.get(segment) ?? emptyNode<T>();
  node.fixed.set(segment, child);
  return child;
}

function walk<T>(
  node: Node<T>,
  segments: readonly string[],
  at: number,
  params: Record<string, string>,
): Map<string, T> | null {
  const segment = segments[at];
  if (segment === undefined) return node.methods.size > 0 ? node.methods : null;
  const fixed = node.fixed.get(segment);
  const found = fixed && walk(fixed, segments, at + 1, params);
  if (found) return found;
  if (node.variable && segment !== '' && segment.length <= maxSegmentLength) {
    const value = decoded(segment);
    if (value !== null) {
      params[node.variable.name] = value;
      const below = walk(node.variable.node, segments, at + 1, params);
      if (below) return below;
    }
  }
  if (node.rest) params['*'] = segments.slice(at).join('/');
  return node.rest;
}

/** Null for invalid escapes, which match nothing. */
export function decoded(text: string): string | null {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
