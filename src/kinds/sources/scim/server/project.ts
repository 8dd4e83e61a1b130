import { isJsonObject } from '../../../../lib/json.ts';
import { type AttributePath, parsePath } from '../protocol/filter.ts';
import type { ScimObject } from '../protocol/matches.ts';
import { ScimError } from '../protocol/scim-error.ts';
import type { Schema } from './schemas.ts';

/** Which attributes an answer has (RFC 7644, section 3.9). */
export interface Projection {
  readonly only: readonly AttributePath[] | null;
  readonly without: readonly AttributePath[];
}

const core = /^urn:ietf:params:scim:schemas:core:/i;
/** More than the schemas have; each is looked for in every resource of a list. */
const maxNames = 200;
/** RFC 7643, section 7: returned always. */
const always = new Set(['id', 'schemas']);

export function readProjection(
  attributes: readonly string[],
  excluded: readonly string[],
  extensions: readonly Schema[],
): Projection {
  const read = (names: readonly string[]) =>
    names
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .map((name) => (isAmong(extensions, name) ? { schema: name, attribute: '', sub: null } : parsePath(name)));
  if (attributes.length + excluded.length > maxNames) {
    throw new ScimError(400, `At most ${maxNames} attributes can be named.`, 'tooMany');
  }
  const only = read(attributes);
  return { only: only.length > 0 ? only : null, without: read(excluded) };
}

const isAmong = (extensions: readonly Schema[], name: string) =>
  extensions.some(({ id }) => id.toLowerCase() === name.toLowerCase());

/** Whether the answer shows a member of the resource. */
export const shows = ({ only, without }: Projection, name: string): boolean =>
  (only === null || only.some((path) => names(path, name))) &&
  !without.some((path) => names(path, name) && path.sub === null);

const names = ({ attribute }: AttributePath, name: string) => attribute.toLowerCase() === name.toLowerCase();

export function project(resource: ScimObject, { only, without }: Projection): ScimObject {
  const kept = only === null ? resource : pick(resource, only);
  return without.reduce(omitPath, kept);
}

function pick(resource: ScimObject, paths: readonly AttributePath[]): ScimObject {
  const members = Object.entries(resource).flatMap(([name, value]): [string, unknown][] => {
    if (always.has(name)) return [[name, value]];
    const own = paths.filter((path) => topOf(path) === name.toLowerCase());
    if (own.length === 0) return [];
    const inner = own.map(innerOf);
    return inner.includes(null) ? [[name, value]] : [[name, pickInner(value, own)]];
  });
  return Object.fromEntries(members);
}

/** The member of the resource that the path begins with: an extension stands under its own name. */
const topOf = ({ schema, attribute }: AttributePath) =>
  (schema === null || core.test(schema) ? attribute : schema).toLowerCase();

/** What of that member is meant; null for all of it. */
function innerOf({ schema, attribute, sub }: AttributePath): AttributePath | null {
  if (schema === null || core.test(schema)) return sub === null ? null : { schema: null, attribute: sub, sub: null };
  return attribute === '' ? null : { schema: null, attribute, sub };
}

function pickInner(value: unknown, paths: readonly AttributePath[]): unknown {
  if (Array.isArray(value)) return value.map((element) => pickInner(element, paths));
  if (!isJsonObject(value)) return value;
  return pick(
    value,
    paths.map(innerOf).filter((path) => path !== null),
  );
}

function omitPath(resource: ScimObject, path: AttributePath): ScimObject {
  const top = topOf(path);
  const inner = innerOf(path);
  const members = Object.entries(resource).flatMap(([name, value]): [string, unknown][] => {
    if (name.toLowerCase() !== top || always.has(name)) return [[name, value]];
    return inner === null ? [] : [[name, omitNested(value, inner)]];
  });
  return Object.fromEntries(members);
}

function omitNested(value: unknown, path: AttributePath): unknown {
  if (Array.isArray(value)) return value.map((element) => omitNested(element, path));
  return isJsonObject(value) ? omitPath(value, path) : value;
}
