import { sql } from 'kysely';
import { MappingFailed, mergeMappings, mergeMappingsForEach } from '../core/mapping/evaluate.ts';
import type { Json } from '../lib/json.ts';
import { message, type Words } from '../lib/texts/message.ts';
import type { Query } from '../platform/db/database.ts';
import type { Sandbox } from '../platform/sandbox/sandbox.ts';
import { findUnstorable, isStorable } from '../resource/fields/well-formed.ts';
import type { SourceRow } from './source.family.ts';

type Properties = Record<string, Json>;

/** An external account as the source describes it. */
export interface Identity {
  /** The immutable id of the account at the source. */
  readonly identifier: string;
  readonly username: string;
  readonly email: string;
  /** False if the source reports the address as unverified. */
  readonly isEmailConfirmed: boolean;
  readonly name: string;
  /** The groups in the source's own data; mappings may add more. */
  readonly groups?: readonly string[];
  /** How many more it named by something else than text. */
  readonly namelessGroups?: number;
  /** Whether the source reports groups without naming them. */
  readonly areGroupsWithheld?: boolean;
  /** All data of the source, for mappings. */
  readonly info: Properties;
}

/** A group at the source with the properties that mappings gave it. A type, since plans are JSON. */
export type PlannedGroup = {
  readonly identifier: string;
  readonly properties: Properties;
};

/** The mapped user and groups. */
export interface MappedIdentity {
  readonly user: Properties;
  /** Null if the source does not name them: the user keeps those they have. */
  readonly groups: readonly PlannedGroup[] | null;
  /** Warnings about the groups, for administrators. */
  readonly reports: readonly Words[];
}

/** So many fit into a plan, and into the write at its end. */
const maxGroups = 5_000;
const maxIdentifierLength = 255;

/** Applies the source's mappings, by name, to an external account. Throws `MappingFailed`. */
export async function mapIdentity(
  sandbox: Sandbox,
  source: SourceRow,
  mappingModel: string,
  identity: Identity,
  query: Query,
): Promise<MappedIdentity> {
  const { username, email, name, groups: own, info } = identity;
  const about = { info, source: { pk: source.pk, name: source.name, slug: source.slug } };
  const base: Properties = { username, email, name, path: userPath(source), ...(own && { groups: own }) };
  const mappings = await loadMappings('source_user_property_mappings', source.pk, mappingModel, query);
  const { groups = null, ...user } = mergeMappings(sandbox, mappings, { ...about, properties: base }, base).value;
  for (const member of ['username', 'email', 'name', 'path']) checkText(user, member);
  const { identifiers, reports } = readGroups(groups, identity);
  return { user: withoutNulls(user), groups: identifiers && (await mapGroups(identifiers)), reports };

  async function mapGroups(identifiers: readonly string[]): Promise<PlannedGroup[]> {
    if (identifiers.length === 0) return [];
    const ofGroups = await loadMappings('source_group_property_mappings', source.pk, mappingModel, query);
    const mapped = mergeMappingsForEach(sandbox, ofGroups, about, { name: 'group_id', values: identifiers });
    return identifiers.map((identifier, index) => {
      const properties = mapped[index] ?? {};
      checkText(properties, 'name');
      if (findUnstorable(properties)) throw new MappingFailed('', 'Null characters are not allowed.');
      return { identifier, properties: withoutNulls(properties) };
    });
  }
}

/** The groups of an account, null if it does not name them. */
function readGroups(
  ids: Json,
  { namelessGroups = 0, areGroupsWithheld = false }: Identity,
): { readonly identifiers: string[] | null; readonly reports: Words[] } {
  const list = listOf(ids);
  const names = list.filter(isIdentifier).map(String);
  const skipped = namelessGroups + list.length - names.length;
  const reports =
    skipped > 0 ? [message('Skipped {count} groups of a user that have no name.', { count: skipped })] : [];
  const identifiers = [...new Set(names)];
  if (identifiers.length === 0 && areGroupsWithheld) return { identifiers: null, reports: [...reports, withheld] };
  if (identifiers.length > maxGroups) return { identifiers: null, reports: [...reports, tooMany(identifiers.length)] };
  return { identifiers, reports };
}

const withheld =
  'The source does not name the groups of a user in its response, but refers to another address (_claim_names). The user keeps the groups they have. Have the source send fewer groups, for example only those of the application.';

const tooMany = (count: number): string =>
  `The source names ${count} groups of a user; at most ${maxGroups} are possible. The user keeps the groups they have.`;

/** A single value may be written without a list. */
function listOf(ids: Json): readonly Json[] {
  if (Array.isArray(ids)) return ids;
  if (ids === null || ids === '') return [];
  if (typeof ids === 'string' || typeof ids === 'number') return [ids];
  throw new MappingFailed('', 'The groups of a user must be a list of texts.');
}

const isIdentifier = (id: Json): boolean =>
  typeof id === 'number' ||
  (typeof id === 'string' && id !== '' && [...id].length <= maxIdentifierLength && isStorable(id));

function checkText(properties: Properties, member: string): void {
  const value = properties[member];
  if (value === undefined || value === null || typeof value === 'string') return;
  throw new MappingFailed('', `The property ${member} must be a text.`);
}

const withoutNulls = (properties: Properties): Properties =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== null));

/** Mappings of other kinds are ignored. */
export async function loadMappings(
  table: 'source_user_property_mappings' | 'source_group_property_mappings',
  source: string,
  kind: string,
  query: Query,
): Promise<{ name: string; expression: string }[]> {
  const { rows } = await sql<{ name: string; expression: string }>`select m.name, m.expression from property_mappings m
    join ${sql.table(table)} s on s.mapping = m.pk where s.source = ${source} and m.kind = ${kind}`.execute(query);
  return rows;
}

const fallbackPath = 'users';

/** Where users of the source are filed; a template that cannot be filled in files them with all others. */
export function userPath({ user_path_template, slug }: Pick<SourceRow, 'user_path_template' | 'slug'>): string {
  const path = user_path_template.replaceAll(/%(\(slug\)s|%)/g, (_mark, what) => (what === '%' ? '\u0000' : slug));
  if (path.includes('%')) return fallbackPath;
  const filled = path.replaceAll('\u0000', '%');
  return filled.split('/').every((part) => part.trim() !== '') ? filled : fallbackPath;
}
