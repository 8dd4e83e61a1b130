import { sql } from 'kysely';
import type { Api } from '../support/api.ts';
import { grant, type Right } from '../support/grants.ts';
import type { TestServer } from '../support/server.ts';

/** A user whose rights a test changes as it goes. */
export interface Probe {
  readonly pk: number;
  readonly api: Api;
  /** Exactly these rights, and no others. */
  holds(...rights: readonly Right[]): Promise<void>;
}

export async function createProbe(
  server: TestServer,
  watch: (api: Api) => Promise<Api> = async (api) => api,
): Promise<Probe> {
  const user = await server.user();
  return {
    pk: user.pk,
    api: await watch(user.api),
    holds: (...rights) =>
      server.world.db.write(async (tx) => {
        await sql`delete from user_permissions where "user" = ${user.pk}`.execute(tx);
        await sql`delete from user_object_permissions where "user" = ${user.pk}`.execute(tx);
        await grant(tx, user.pk, new Set(rights));
      }),
  };
}
