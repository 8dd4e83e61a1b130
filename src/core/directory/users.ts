import type { JsonObject } from '../../lib/json.ts';
import type { Registry, Resource } from '../../resource/resource.ts';

/** The columns of users that server code reads. */
type UserRow = { pk: number; username: string; email: string; is_active: boolean; attributes: JsonObject };

/** The user resource with typed rows; the registry is untyped. */
export const usersIn = (registry: Registry) => registry.require('svc_core.user') as Resource<UserRow>;
