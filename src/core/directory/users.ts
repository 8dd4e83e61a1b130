import type { JsonObject } from '../../lib/json.ts';
import type { Registry, Resource } from '../../resource/resource.ts';

/** What server code reads of users. */
type UserRow = { pk: number; username: string; attributes: JsonObject };

/** The resource of users, with their rows: registries hold resources with all kinds of rows. */
export const usersIn = (registry: Registry) => registry.require('svc_core.user') as Resource<UserRow>;
