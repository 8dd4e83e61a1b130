import { sql } from 'kysely';
import { grantsOfUsersSql, isSuperuserSql } from '../../../../core/access/rights-sql.ts';
import { isJsonObject } from '../../../../lib/json.ts';
import type { ScimObject } from '../protocol/matches.ts';
import { listMember, textMember } from './document.ts';
import { at, type Leaf, type Place } from './filter-sql.ts';
import type { Mapped, Properties, ResourceType } from './resource-type.ts';
import { enterpriseSchema, userSchema } from './schemas.ts';

const document = sql.ref('t.attributes');
const inDocument = (...path: string[]): Place => at({ is: 'json', column: document, path });
const nameLeaf: Leaf = { is: 'text', sql: sql.ref('o.name') };

/** What both types have. */
export const commonMapped = (resourceType: string): Readonly<Record<string, Mapped>> => ({
  externalid: { leaf: { is: 'exact text', sql: sql.ref('t.external_id') } },
  'meta.created': { leaf: { is: 'time', sql: sql.ref('t.created') } },
  'meta.lastmodified': { leaf: { is: 'time', sql: sql.ref('t.last_updated') } },
  'meta.resourcetype': { leaf: { is: 'exact text', sql: sql`${sql.lit(resourceType)}` } },
});

export const recordColumns = sql`t.pk, t.external_id, t.attributes, t.created, t.last_updated, t.is_own`;

export const userType: ResourceType = {
  name: 'User',
  endpoint: 'Users',
  schema: userSchema,
  extensions: [enterpriseSchema],
  targetModel: 'svc_core.user',
  recordModel: 'svc_sources_scim.scimsourceuser',
  column: 'user',
  mappings: 'source_user_property_mappings',
  idColumn: 'uuid',
  hasMembers: false,
  initial: { active: true },
  from: sql`scim_source_users t join users o on o.pk = t."user"`,
  columns: sql`${recordColumns}, o.pk as target, o.uuid as id, o.username, o.name, o.email, o.is_active`,
  mapped(dialect) {
    const addresses: Place = (holds) =>
      sql`exists (select 1 from ${dialect.jsonElements(document, ['emails'])} as e0
        where ${holds({ is: 'json', column: sql.ref('e0.value'), path: ['value'] })})`;
    const emails: Mapped = { leaf: { is: 'user name', sql: sql.ref('o.email') }, also: [addresses] };
    return {
      ...commonMapped('User'),
      id: { leaf: { is: 'uuid', sql: sql.ref('o.uuid') } },
      username: { leaf: { is: 'user name', sql: sql.ref('o.username') } },
      active: { leaf: { is: 'flag', sql: sql.ref('o.is_active') } },
      displayname: { leaf: nameLeaf, also: [inDocument('displayName')] },
      'name.formatted': { leaf: nameLeaf, also: [inDocument('name', 'formatted')] },
      emails,
      'emails.value': emails,
    };
  },
  naming: { attribute: 'userName', property: 'username' },
  kept: ['userName', 'active'],
  properties: ['username', 'name', 'email', 'is_active', 'path', 'attributes'],
  show({ username, name, email = '', is_active = false }, sent) {
    const shown: Record<string, unknown> = { ...sent, userName: username, active: is_active };
    // A client may take the attribute away, which leaves the user as it is.
    if ('userName' in sent && !('active' in sent)) delete shown.active;
    // A name given here replaces the others.
    if (!namesOf(sent).includes(name)) {
      shown.displayName = name === '' ? undefined : name;
      if (textMember(sent.name, 'formatted') !== undefined && isJsonObject(sent.name)) {
        shown.name = { ...sent.name, formatted: shown.displayName };
      }
    }
    if ((emailOf(sent) ?? '') !== email) shown.emails = withEmail(sent, email);
    return shown;
  },
  propertiesOf(sent, before) {
    const properties: Properties = {};
    const username = textMember(sent, 'userName');
    if (username !== undefined) properties.username = username;
    const name = nameOf(sent, before);
    if (name !== undefined) properties.name = name;
    if ('emails' in sent) properties.email = emailOf(sent) ?? '';
    else if (before && 'emails' in before) properties.email = '';
    if (typeof sent.active === 'boolean') properties.is_active = sent.active;
    return properties;
  },
  async isProtected(tx, target) {
    const { rows } = await sql`select 1 from users u where u.pk = ${target}
      and (u.type = 'internal_service_account' or ${isSuperuserSql(sql`u.pk`)})`.execute(tx);
    return rows.length > 0;
  },
  grants: (target) => grantsOfUsersSql([Number(target)]),
};

/** What may be the name of a user, the best first. */
function namesOf(sent: ScimObject): (string | undefined)[] {
  const parts = [textMember(sent.name, 'givenName'), textMember(sent.name, 'familyName')];
  const joined = parts.filter((part) => part !== undefined).join(' ');
  return [textMember(sent.name, 'formatted'), textMember(sent, 'displayName'), joined === '' ? undefined : joined];
}

/** Of several names the one that has changed; undefined when none has. */
function nameOf(sent: ScimObject, before: ScimObject | null): string | undefined {
  const names = namesOf(sent);
  const first = names.find((name) => name !== undefined);
  if (!before) return first;
  const earlier = namesOf(before);
  if (names.every((name, index) => name === earlier[index])) return undefined;
  return names.find((name, index) => name !== undefined && name !== earlier[index]) ?? first ?? '';
}

/** The primary address, else the first. */
function emailOf(sent: ScimObject): string | undefined {
  const all = listMember(sent, 'emails');
  const primary = all.find((entry) => isJsonObject(entry) && entry.primary === true) ?? all[0];
  return textMember(primary, 'value');
}

function withEmail(sent: ScimObject, email: string): unknown[] | undefined {
  const stale = emailOf(sent);
  const others = listMember(sent, 'emails').filter((entry) => textMember(entry, 'value') !== stale);
  const all = email === '' ? others : [{ value: email, type: 'work', primary: true }, ...others];
  return all.length > 0 ? all : undefined;
}
