import { type RawBuilder, sql } from 'kysely';
import { chunksOf } from '../../../../lib/chunks.ts';
import { asObject } from '../../../../lib/json.ts';
import type { Query } from '../../../../platform/db/database.ts';
import { keysPerStatement } from '../../../../platform/db/keys-per-statement.ts';
import { canonicalUuid, isUuid } from '../../../../resource/fields/scalar.ts';
import { etagOf, matchesEtag } from '../../../../resource/read/etag.ts';
import type { ScimObject } from '../protocol/matches.ts';
import { ScimError } from '../protocol/scim-error.ts';
import { isNothing, isServerOwned, textMember } from './document.ts';
import type { RecordRow, ResourceType } from './resource-type.ts';
import { baseUrl, type ScimRequest } from './scim-request.ts';

/** The ids of the users in a group. */
export type Members = readonly string[];

/** The record of what has this id for clients. Throws when the source has none. */
export async function findRecord(
  { source }: Pick<ScimRequest, 'source'>,
  type: ResourceType,
  id: string,
  query: Query,
  lock: RawBuilder<unknown> = sql``,
): Promise<RecordRow> {
  const { rows } = isUuid(id)
    ? await sql<RecordRow>`select ${type.columns} from ${type.from} where t.source = ${source.pk}
        and o.${sql.ref(type.idColumn)} = ${canonicalUuid(id)}
        order by t.pk limit 1 ${lock}`.execute(query)
    : { rows: [] };
  if (!rows[0]) throw new ScimError(404, `${type.name} not found.`);
  return rows[0];
}

/** The document as it was last sent. One made by hand may be anything. */
export function storedDocument({ attributes }: RecordRow): ScimObject {
  return asObject(JSON.parse(attributes));
}

/** The resource as clients see it, with the name of its version where all of it is known. */
export function showRecord(
  exchange: ScimRequest,
  type: ResourceType,
  row: RecordRow,
  members: Members | null,
): ScimObject {
  const sent = Object.entries(storedDocument(row)).filter(
    ([name]) => !isServerOwned(name) && !['schemas', 'externalId', 'members'].includes(name),
  );
  const shown = Object.fromEntries(
    Object.entries(type.show(row, Object.fromEntries(sent))).filter(([, value]) => !isNothing(value)),
  );
  const extensions = Object.keys(shown).filter((name) => /^urn:/i.test(name));
  const base = baseUrl(exchange);
  const meta = {
    resourceType: type.name,
    ...(row.created !== null && { created: row.created }),
    ...(row.last_updated !== null && { lastModified: row.last_updated }),
    location: `${base}/${type.endpoint}/${row.id}`,
  };
  const resource = {
    schemas: [type.schema.id, ...extensions],
    id: row.id,
    ...(row.external_id !== null && { externalId: row.external_id }),
    ...shown,
    ...(members && { members: members.map((value) => ({ value, $ref: `${base}/Users/${value}`, type: 'User' })) }),
    meta,
  };
  if (type.hasMembers && !members) return resource;
  return { ...resource, meta: { ...meta, version: `W/${etagOf(JSON.stringify(resource))}` } };
}

export const versionOf = ({ meta }: ScimObject): string => textMember(meta, 'version') ?? '';

/** RFC 7644, section 3.14 */
export function checkVersion({ ifMatch }: ScimRequest, resource: ScimObject): void {
  if (ifMatch === undefined || isVersion(ifMatch, resource)) return;
  throw new ScimError(412, 'The resource has changed since it was read.');
}

export const isVersion = (header: string, resource: ScimObject): boolean =>
  matchesEtag(header, versionOf(resource).replace(/^W\//, ''));

/** The members of one resource; null for what has none. */
export async function membersOf(
  { source }: Pick<ScimRequest, 'source'>,
  type: ResourceType,
  { id }: RecordRow,
  query: Query,
): Promise<Members | null> {
  if (!type.hasMembers) return null;
  return (await loadMembers([id], source, query)).get(id) ?? [];
}

/** A source sees only its own users, in groups too. */
const isOfSource = (user: RawBuilder<unknown>, { pk }: ScimRequest['source']): RawBuilder<boolean> =>
  sql`exists (select 1 from scim_source_users r where r."user" = ${user} and r.source = ${pk})`;

export async function loadMembers(
  groups: readonly string[],
  source: ScimRequest['source'],
  query: Query,
): Promise<Map<string, Members>> {
  const members = new Map(groups.map((group): [string, string[]] => [group, []]));
  if (groups.length === 0) return members;
  const { rows } = await sql<{ group: string; uuid: string }>`select ug."group", u.uuid from user_groups ug
    join users u on u.pk = ug."user" where ug."group" in (${sql.join(groups)}) and ${isOfSource(sql`u.pk`, source)}
    order by u.pk`.execute(query);
  for (const { group, uuid } of rows) members.get(group)?.push(uuid);
  return members;
}

/**
 * The keys of the members that a group is to have: users of the source that a list names; groups and others are
 * ignored.
 */
export async function memberKeys(
  members: readonly unknown[],
  source: ScimRequest['source'],
  query: Query,
): Promise<number[]> {
  const ids = members.map((member) => textMember(member, 'value')).filter(isUuid);
  const keys: number[] = [];
  for (const some of chunksOf([...new Set(ids.map(canonicalUuid))], keysPerStatement)) {
    const { rows } = await sql<{ pk: number }>`select pk from users where uuid in (${sql.join(some)})
      and type <> 'internal_service_account' and ${isOfSource(sql`users.pk`, source)} order by pk`.execute(query);
    keys.push(...rows.map(({ pk }) => pk));
  }
  return keys;
}

/** The keys of the members whom the source does not manage: its writes leave them in the group. */
export async function otherMembers(group: unknown, source: ScimRequest['source'], query: Query): Promise<number[]> {
  const { rows } = await sql<{ pk: number }>`select ug."user" as pk from user_groups ug
    where ug."group" = ${group} and not ${isOfSource(sql`ug."user"`, source)}`.execute(query);
  return rows.map(({ pk }) => pk);
}
