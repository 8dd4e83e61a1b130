import { Document, isScalar, type ParsedNode, parseDocument, Scalar, type ScalarTag, visit, YAMLSeq } from 'yaml';
import { isDeeperThan } from '../../lib/json.ts';
import { Invalid } from '../../lib/problem.ts';
import type { Row } from '../../resource/fields/field.ts';

/** One object of a blueprint: its identifiers and its attributes. */
export interface BlueprintEntry {
  /** `svc_flows.flow` */
  readonly model: string;
  /** By which other entries refer to it. */
  readonly id: string | null;
  readonly identifiers: Row;
  readonly attrs: Row;
}

/** Stands for the key of another entry of the same file. */
export class KeyOf {
  readonly id: string;
  constructor(id: string) {
    this.id = id;
  }
}

/** Stands for the key of an object that is there already: the one of this model whose member has this value. */
export class Find {
  readonly model: string;
  readonly member: string;
  readonly value: unknown;
  constructor(model: string, member: string, value: unknown) {
    this.model = model;
    this.member = member;
    this.value = value;
  }
}

const version = 1;
const maxTextLength = 1_000_000;
const maxEntries = 1_000;
const deepest = 20;
const keyOfTag = '!KeyOf';
const findTag = '!Find';

export function writeBlueprint(name: string, entries: readonly BlueprintEntry[]): string {
  const shown = entries.map(({ model, id, identifiers, attrs }) => ({
    model,
    ...(id !== null && { id }),
    state: 'present',
    identifiers: withNodes(identifiers),
    attrs: withNodes(attrs),
  }));
  return new Document({ version, metadata: { name }, entries: shown }).toString({ lineWidth: 120 });
}

const withNodes = (values: Row): Row =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? value.map(nodeOf) : nodeOf(value)]),
  );

function nodeOf(value: unknown): unknown {
  if (value instanceof KeyOf) {
    const node = new Scalar(value.id);
    node.tag = keyOfTag;
    return node;
  }
  if (!(value instanceof Find)) return value;
  const member = new YAMLSeq();
  member.items = [new Scalar(value.member), new Scalar(value.value)];
  const node = new YAMLSeq();
  node.items = [new Scalar(value.model), member];
  node.tag = findTag;
  node.flow = true;
  member.flow = true;
  return node;
}

const keyOfReader: ScalarTag = { tag: keyOfTag, resolve: (text) => new KeyOf(text) };
const findReader = {
  tag: findTag,
  collection: 'seq' as const,
  resolve(node: unknown, onError: (message: string) => void): unknown {
    const [model, pair] = (node as YAMLSeq).toJSON() as unknown[];
    const [member, value] = Array.isArray(pair) ? pair : [];
    if (typeof model === 'string' && typeof member === 'string') return new Scalar(new Find(model, member, value));
    onError(`${findTag} takes a model and a pair of member and value`);
    return node;
  },
};

/** Parses a blueprint. Throws all syntax errors at once; contents are not checked here. */
export function readBlueprint(text: string): BlueprintEntry[] {
  if (text.length > maxTextLength) throw Invalid.field('file', 'The file is too large.');
  const document = parseDocument<ParsedNode>(text, {
    customTags: [keyOfReader, findReader],
    stringKeys: true,
    // The library compares each key with all before it, which takes seconds for many; `repeatedKeys` does not.
    uniqueKeys: false,
  });
  const faults = [...document.errors, ...document.warnings].map(({ message }) => message.split('\n')[0] ?? '');
  faults.push(...repeatedKeys(document));
  if (faults.length > 0) throw Invalid.field('file', ...faults);
  return entriesOf(contentOf(document));
}

function repeatedKeys(document: Document.Parsed): string[] {
  const faults: string[] = [];
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        const name = isScalar(key) ? key.value : key;
        if (seen.has(name)) faults.push(`The key ${name} stands twice in the same map.`);
        seen.add(name);
      }
    },
  });
  return faults;
}

function contentOf(document: Document.Parsed): unknown {
  try {
    // No aliases: a small file could expand to a huge one.
    return document.toJS({ maxAliasCount: 0 });
  } catch (error) {
    throw Invalid.field('file', error instanceof Error ? error.message : 'The file cannot be read.');
  }
}

function entriesOf(content: unknown): BlueprintEntry[] {
  if (!isRow(content) || content.version !== version || !Array.isArray(content.entries)) {
    throw Invalid.field('file', `A blueprint has the members version (${version}), metadata and entries.`);
  }
  if (content.entries.length > maxEntries) throw Invalid.field('file', 'The file has too many entries.');
  if (isDeeperThan(content.entries, deepest)) throw Invalid.field('file', 'The file is nested too deeply.');
  const complaints: string[] = [];
  const entries = content.entries.flatMap((entry, index): BlueprintEntry[] => {
    const complaint = complaintAbout(entry);
    if (complaint !== null) complaints.push(`Entry ${index + 1}: ${complaint}`);
    if (complaint !== null) return [];
    const { model, id = null, identifiers, attrs = {} } = entry as Row;
    return [{ model, id, identifiers, attrs } as BlueprintEntry];
  });
  if (complaints.length > 0) throw Invalid.field('file', ...complaints);
  return entries;
}

const members = new Set(['model', 'id', 'state', 'identifiers', 'attrs']);

function complaintAbout(entry: unknown): string | null {
  if (!isRow(entry)) return 'not an object.';
  const unknown = Object.keys(entry).find((name) => !members.has(name));
  if (unknown !== undefined) return `there is no member "${unknown}".`;
  if (typeof entry.model !== 'string') return 'the model is missing.';
  if (entry.id !== undefined && typeof entry.id !== 'string') return 'its id is no text.';
  if (entry.state !== undefined && entry.state !== 'present') return 'the only state is "present".';
  if (!isRow(entry.identifiers) || Object.keys(entry.identifiers).length === 0) return 'it has no identifiers.';
  return entry.attrs === undefined || isRow(entry.attrs) ? null : 'its attrs are no object.';
}

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
