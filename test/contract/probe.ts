import { sql } from 'kysely';
import type { Api } from '../support/api.ts';
import type { TestServer } from '../support/server.ts';

/** A user whose rights a test changes as it goes. */
export interface Probe {
  readonly pk: number;
  readonly api: Api;
  /** Exactly these rights, and no others. */
  holds(...rights: readonly Right[]): Promise<void>;
}

/** A permission on every object, or on one. */
export type Right = string | { readonly permission: string; readonly on: string | number };

export async function createProbe(server: TestServer, watch: (api: Api) => Api = (api) => api): Promise<Probe> {
  const user = await server.user();
  return {
    pk: user.pk,
    api: watch(user.api),
    holds: (...rights) =>
      server.world.db.write(async (tx) => {
        await sql`delete from user_permissions where "user" = ${user.pk}`.execute(tx);
        await sql`delete from user_object_permissions where "user" = ${user.pk}`.execute(tx);
        for (const right of new Set(rights)) {
          const name = typeof right === 'string' ? right : right.permission;
          const [app, codename] = name.split('.');
          const permission = sql`from permissions where app_label = ${app} and codename = ${codename}`;
          const { rows } =
            typeof right === 'string'
              ? await sql`insert into user_permissions ("user", permission) select ${user.pk}, pk ${permission} returning permission`.execute(
                  tx,
                )
              : await sql`insert into user_object_permissions ("user", permission, object_pk)
                  select ${user.pk}, pk, ${String(right.on)} ${permission} returning permission`.execute(tx);
          if (rows.length === 0) throw new Error(`there is no permission ${name}`);
        }
      }),
  };
}
