import { sql } from 'kysely';
import { uidOf } from '../../../core/directory/uid.ts';
import { mergeMappings } from '../../../core/mapping/evaluate.ts';
import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import { asObject, type Json, type JsonObject } from '../../../lib/json.ts';
import type { Query } from '../../../platform/db/database.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import { isFreeHeader } from './header-names.ts';
import type { ProtectedApplication } from './protected-application.ts';
import { type TokenNeeds, writeToken } from './token.ts';

/** Names and values of headers, which may be in any language. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

interface MappingRow {
  readonly name: string;
  readonly expression: string;
  readonly managed: string | null;
}

const scopeModel = 'svc_providers_oauth2.scopemapping';

async function mappingsOf(query: Query, provider: number): Promise<MappingRow[]> {
  const { rows } = await sql<MappingRow>`select m.name, m.expression, m.managed from provider_property_mappings pm
    join property_mappings m on m.pk = pm.mapping where pm.provider = ${provider} and m.kind = ${scopeModel}
    order by m.name`.execute(query);
  return rows;
}

export interface IdentityNeeds extends TokenNeeds {
  readonly installId: string;
  readonly sandbox: Sandbox;
  readonly version: string;
}

/** The headers by which an application gets to know a user. Throws `MappingFailed`. */
export async function identityOf(
  needs: IdentityNeeds,
  query: Query,
  {
    application,
    user,
    now,
    expires,
  }: { application: ProtectedApplication; user: UserFacts; now: string; expires: string },
): Promise<HeaderList> {
  const mappings = await mappingsOf(query, application.pk);
  const { claims, attributes, added } = claimsOf(needs, mappings, application, user);
  const sub = uidOf(user.pk, needs.installId);
  const token = await writeToken(needs, query, application, { claims: { ...claims, sub }, now, expires });
  const username = textOf(claims.preferred_username) || user.username;
  const [email, name] = [textOf(claims.email), textOf(claims.name)];
  const groups = listOf(claims.groups);
  return [
    ['X-Gatehouse-Username', username],
    ['X-Gatehouse-Groups', joined(groups, '|')],
    ['X-Gatehouse-Entitlements', joined(listOf(claims.entitlements), '|')],
    ['X-Gatehouse-Email', email],
    ['X-Gatehouse-Name', name],
    ['X-Gatehouse-Uid', sub],
    ...(token === null
      ? []
      : [['X-Gatehouse-Jwt', token.jwt] as const, ['X-Gatehouse-Meta-Jwks', token.jwks] as const]),
    ['X-Gatehouse-Meta-Outpost', 'Gatehouse Embedded Outpost'],
    ['X-Gatehouse-Meta-Provider', application.name],
    ['X-Gatehouse-Meta-App', application.application.slug],
    ['X-Gatehouse-Meta-Version', `gatehouse/${needs.version}`],
    ['Remote-User', username],
    ['Remote-Groups', joined(groups, ',')],
    ['Remote-Email', email],
    ['Remote-Name', name],
    ...basicCredentials(application, attributes, email || user.email),
    ...added,
  ].map(([header = '', value = '']) => [header, inOneLine(value)] as const);
}

/**
 * What the mappings say of a user. Headers come from mappings of administrators: the managed ones pass on attributes,
 * which more people may write.
 */
function claimsOf(
  { sandbox }: IdentityNeeds,
  mappings: readonly MappingRow[],
  application: ProtectedApplication,
  user: UserFacts,
) {
  sandbox.budgets.raise();
  const { pk, name, client_id } = application;
  const globals = {
    user,
    provider: { pk, name, client_id },
    scopes: [],
    source_tokens: {},
    request: { user, context: {}, http_request: null, obj: null },
  };
  const managed = mergeMappings(
    sandbox,
    mappings.filter((mapping) => mapping.managed !== null),
    globals,
  ).value;
  const own = mergeMappings(
    sandbox,
    mappings.filter((mapping) => mapping.managed === null),
    globals,
  ).value;
  const { gatehouse_proxy: _, ...claims } = { ...managed, ...own };
  const attributesOf = (value: Json | undefined) => asObject(asObject(value).user_attributes);
  const attributes = { ...attributesOf(managed.gatehouse_proxy), ...attributesOf(own.gatehouse_proxy) };
  const added = Object.entries(asObject(attributesOf(own.gatehouse_proxy).additionalHeaders))
    .filter(([header, value]) => isFreeHeader(header) && ['string', 'number'].includes(typeof value))
    .map(([header, value]) => [header, String(value)] as const);
  return { claims, attributes, added };
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const listOf = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

/** A name with the separator in it would count as several: applications do not get to know it. */
const joined = (names: readonly string[], separator: string): string =>
  names.filter((name) => !name.includes(separator)).join(separator);

/** Signs the user in to the application itself; only with a password. */
function basicCredentials(
  { basic_auth_enabled, basic_auth_user_attribute, basic_auth_password_attribute }: ProtectedApplication,
  attributes: JsonObject,
  fallback: string,
): HeaderList {
  const password = attributes[basic_auth_password_attribute];
  if (!basic_auth_enabled || typeof password !== 'string' || password === '') return [];
  const stored = attributes[basic_auth_user_attribute];
  const username = typeof stored === 'string' && stored !== '' ? stored : fallback;
  // The first colon ends the name (RFC 7617 §2).
  if (username.includes(':')) return [];
  return [['Authorization', `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`]];
}

export const inOneLine = (value: string): string => value.replace(/\p{Cc}+/gu, ' ').trim();

/** As bytes of UTF-8, which is what proxies pass on unchanged; Node takes each for a character of Latin-1. */
export const encodedHeaders = (list: HeaderList): Record<string, string> =>
  Object.fromEntries(list.map(([name, value]) => [name, Buffer.from(value, 'utf8').toString('latin1')]));
