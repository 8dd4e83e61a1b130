import { CORE_SCHEMA, defineScalarTag, defineSequenceTag, dump, load, YAMLException } from 'js-yaml';
import { isDeeperThan } from '../../lib/json.ts';
import { Invalid } from '../../lib/problem.ts';
import type { Row } from '../../resource/fields/field.ts';

/** One object of a blueprint: its identifiers and its attributes. */
export interface BlueprintEntry {
  /** `svc_flows.flow` */
  readonly model: string;
  /** Other entries refer to it by this id. */
  readonly id: string | null;
  readonly identifiers: Row;
  readonly attrs: Row;
}

/** Refers to another entry of the same file. */
export class KeyOf {
  readonly id: string;
  constructor(id: string) {
    this.id = id;
  }
}

/** Refers to an existing object: the one of this model whose member has this value. */
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
/** As other bodies. */
const maxTextLength = 2 * 1024 * 1024;
/**
 * Characters that begin entries or escapes. With more of them, parsing takes longer than a tenth of a second (denial of
 * service).
 */
const maxMarks = 65_536;
const maxEntries = 1_000;
const deepest = 20;
/** The parser's limit: entries are three levels down. */
const maxNesting = deepest + 5;

const keyOf = defineScalarTag('!KeyOf', {
  resolve: (id) => new KeyOf(id),
  identify: (value) => value instanceof KeyOf,
  represent: ({ id }: KeyOf) => id,
});
const find = defineSequenceTag('!Find', {
  create: (): unknown[] => [],
  addItem(items, item) {
    items.push(item);
  },
  finalize([model, pair]) {
    const [member, value] = Array.isArray(pair) ? pair : [];
    if (typeof model === 'string' && typeof member === 'string') return new Find(model, member, value);
    throw new YAMLException('!Find takes a model and a pair of member and value');
  },
  identify: (value) => value instanceof Find,
  represent: ({ model, member, value }: Find) => [model, [member, value]],
});
const schema = CORE_SCHEMA.withTags(keyOf, find);

export function writeBlueprint(name: string, entries: readonly BlueprintEntry[]): string {
  const shown = entries.map(({ model, id, identifiers, attrs }) => ({
    model,
    ...(id !== null && { id }),
    state: 'present',
    identifiers,
    attrs,
  }));
  const text = dump({ version, metadata: { name }, entries: shown }, { schema, noRefs: true, lineWidth: 120 });
  const complaint = complaintAboutSize(text);
  return complaint === null ? text : `# This file cannot be imported. ${complaint}\n${text}`;
}

/** Parses a blueprint. Contents are not checked here. */
export function readBlueprint(text: string): BlueprintEntry[] {
  const complaint = complaintAboutSize(text);
  if (complaint !== null) throw Invalid.field('file', complaint);
  return entriesOf(contentOf(text));
}

function complaintAboutSize(text: string): string | null {
  if (text.length > maxTextLength)
    return `The file is too large: it has ${text.length} characters, at most ${maxTextLength}.`;
  const marks = countMarks(text);
  return marks > maxMarks ? `The file is too large: it has ${marks} lines and elements, at most ${maxMarks}.` : null;
}

function countMarks(text: string): number {
  let marks = 0;
  for (const _ of text.matchAll(/[\n\r,[{\\]/g)) marks += 1;
  return marks;
}

function contentOf(text: string): unknown {
  try {
    // No aliases: a small file could expand to a huge one.
    return load(text, { schema, maxDepth: maxNesting, maxAliases: 0 });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { reason, mark } = error;
    throw Invalid.field('file', mark ? `${reason} (line ${mark.line + 1}, column ${mark.column + 1})` : reason);
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
    // `complaintAbout` has checked each member.
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
  if (entry.id !== undefined && typeof entry.id !== 'string') return 'its id is not a string.';
  if (entry.state !== undefined && entry.state !== 'present') return 'the only state is "present".';
  if (!isRow(entry.identifiers) || Object.keys(entry.identifiers).length === 0) return 'it has no identifiers.';
  return entry.attrs === undefined || isRow(entry.attrs) ? null : 'its attrs are not an object.';
}

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
