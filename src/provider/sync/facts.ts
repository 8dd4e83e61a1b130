import { sql } from 'kysely';
import { groupsOfSql } from '../../core/access/rights-sql.ts';
import { avatarOf } from '../../core/directory/avatar.ts';
import { uidOf } from '../../core/directory/uid.ts';
import { asObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { Query } from '../../platform/db/database.ts';
import type { Dialect } from '../../platform/db/dialect.ts';

/** A user or a group as mappings see it: nothing secret. */
export type ObjectFacts = {
  readonly pk: number | string;
  readonly name: string;
  readonly attributes: JsonObject;
  readonly [member: string]: Json;
};

export interface FactsDependencies {
  readonly installId: string;
  /** How users are pictured. */
  readonly avatars: string;
  readonly publicHost: string;
}

export type ObjectType = 'user' | 'group';

type Raw = Record<string, unknown> & {
  readonly pk: number | string;
  readonly name: string;
  readonly attributes: unknown;
};

/** Facts of many objects by key, in one statement; without deleted ones. */
export async function loadFacts(
  dialect: Dialect,
  query: Query,
  type: ObjectType,
  keys: readonly (number | string)[],
  needs: FactsDependencies,
): Promise<Map<number | string, ObjectFacts>> {
  if (keys.length === 0) return new Map();
  const { rows } = await (type === 'user' ? usersSql(dialect, keys) : groupsSql(keys)).execute(query);
  const facts = rows.map((raw) => (type === 'user' ? userOf(raw, needs) : groupOf(raw)));
  return new Map(facts.map((object) => [object.pk, object]));
}

const groupColumns = ['pk', 'name', 'is_superuser', 'attributes'].map((alias) => ({
  alias,
  json: alias === 'attributes',
}));

function usersSql(dialect: Dialect, keys: readonly (number | string)[]) {
  const groups = dialect.jsonArray(
    sql`select g.pk, g.name, g.is_superuser, g.attributes from groups g
      where g.pk in (${groupsOfSql(sql.ref('u.pk'))}) order by g.name`,
    groupColumns,
  );
  return sql<Raw>`select u.pk, u.uuid, u.username, u.name, u.email, u.type, u.path, u.is_active, u.attributes, u.date_joined,
    ${groups} as groups from users u where u.pk in (${sql.join(keys)})`;
}

const groupsSql = (keys: readonly (number | string)[]) =>
  sql<Raw>`select g.pk, g.name, g.is_superuser, g.parent, g.attributes from groups g where g.pk in (${sql.join(keys)})`;

function userOf(raw: Raw, { installId, avatars, publicHost }: FactsDependencies): ObjectFacts {
  const text = (name: string) => String(raw[name] ?? '');
  const attributes = objectOf(raw.attributes);
  const user = { username: text('username'), name: raw.name, email: text('email'), attributes };
  const groups: ObjectFacts[] = listOf(raw.groups).map(groupOf);
  return {
    ...user,
    pk: raw.pk,
    uid: uidOf(Number(raw.pk), installId),
    uuid: text('uuid'),
    type: text('type'),
    path: text('path'),
    is_active: Boolean(raw.is_active),
    is_superuser: groups.some(({ is_superuser }) => is_superuser === true),
    date_joined: text('date_joined'),
    avatar: avatarOf(avatars, user, { publicHost }),
    groups,
  };
}

const groupOf = (raw: Raw): ObjectFacts => ({
  pk: raw.pk,
  name: raw.name,
  is_superuser: Boolean(raw.is_superuser),
  parent: typeof raw.parent === 'string' ? raw.parent : null,
  attributes: objectOf(raw.attributes),
});

const decoded = (stored: unknown): unknown => (typeof stored === 'string' ? JSON.parse(stored) : stored);
const listOf = (stored: unknown): Raw[] => {
  const list = decoded(stored);
  return Array.isArray(list) ? list : [];
};
const objectOf = (stored: unknown): JsonObject => asObject(decoded(stored));
