import { sql } from 'kysely';
import { MappingFailed, mergeMappings } from '../core/mapping/evaluate.ts';
import type { Json } from '../lib/json.ts';
import type { Query } from '../platform/db/database.ts';
import type { Sandbox } from '../platform/sandbox/sandbox.ts';
import type { SourceRow } from './source.family.ts';

type Properties = Record<string, Json>;

/** An external account as the source describes it. */
export interface Identity {
  /** Under which the source knows the account, for ever. */
  readonly identifier: string;
  readonly username: string;
  readonly email: string;
  /** False when the source says that the address is unverified. */
  readonly isEmailConfirmed: boolean;
  readonly name: string;
  /** The groups that it names of itself; mappings may name more. */
  readonly groups?: readonly string[];
  /** How many more it named by something else than text. */
  readonly namelessGroups?: number;
  /** All that it tells, for the mappings to look into. */
  readonly info: Properties;
}

/** A group at the source with its mapped properties. A type, since plans are JSON. */
export type PlannedGroup = {
  readonly identifier: string;
  readonly properties: Properties;
};

/** The mapped user and groups. */
export interface MappedIdentity {
  readonly user: Properties;
  readonly groups: readonly PlannedGroup[];
  /** How many elements of `groups` were no names, and so were skipped. */
  readonly skippedGroups: number;
}

// Each takes an evaluation of every group mapping, one after the other.
const maxGroups = 200;

/** Applies the source's mappings, by name, to an external account. Throws `MappingFailed`. */
export async function mapIdentity(
  sandbox: Sandbox,
  source: SourceRow,
  mappingModel: string,
  { username, email, name, groups: own, namelessGroups = 0, info }: Identity,
  query: Query,
): Promise<MappedIdentity> {
  const about = { info, source: { pk: source.pk, name: source.name, slug: source.slug } };
  const base: Properties = { username, email, name, path: userPath(source), ...(own && { groups: own }) };
  const mappings = await loadMappings('source_user_property_mappings', source.pk, mappingModel, query);
  const { groups = [], ...user } = mergeMappings(sandbox, mappings, { ...about, properties: base }, base).value;
  for (const member of ['username', 'email', 'name', 'path']) checkText(user, member);
  const { identifiers, skipped } = readIdentifiers(groups);
  return { user: withoutNulls(user), groups: await mapGroups(identifiers), skippedGroups: namelessGroups + skipped };

  async function mapGroups(identifiers: readonly string[]): Promise<PlannedGroup[]> {
    if (identifiers.length === 0) return [];
    const ofGroups = await loadMappings('source_group_property_mappings', source.pk, mappingModel, query);
    return identifiers.map((identifier) => {
      const globals = { ...about, group_id: identifier };
      const properties = mergeMappings(sandbox, ofGroups, globals, { name: identifier }).value;
      checkText(properties, 'name');
      return { identifier, properties: withoutNulls(properties) };
    });
  }
}

function readIdentifiers(ids: Json): { readonly identifiers: string[]; readonly skipped: number } {
  if (!Array.isArray(ids)) throw new MappingFailed('', 'The groups of a user must be a list of texts.');
  const names = ids.filter((id) => (typeof id === 'string' && id !== '') || typeof id === 'number').map(String);
  if (names.length > maxGroups)
    throw new MappingFailed('', `A user can have at most ${maxGroups} groups from a source.`);
  return { identifiers: [...new Set(names)], skipped: ids.length - names.length };
}

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
