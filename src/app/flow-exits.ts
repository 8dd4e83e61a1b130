import { sql } from 'kysely';
import { launchUrl } from '../core/application/launch-url.ts';
import { findBrandOfHost } from '../core/brand/brand-of-host.ts';
import { cancelPath, flowPage } from '../flow/executor/challenge.ts';
import type { ExecutorFlow } from '../flow/executor/flow-state.ts';
import { deleteStates } from '../flow/executor/state-store.ts';
import { planTokenOf } from '../flow/plan.ts';
import { ownPath } from '../lib/own-path.ts';
import type { Database } from '../platform/db/database.ts';
import { queryCache } from '../platform/db/query-cache.ts';
import type { Routes } from '../platform/http/routes.ts';
import type { InstanceKey } from '../platform/keys.ts';
import type { Call } from '../resource/call.ts';

const ownPage = '/if/user/';

/** Where a person goes when a flow ends and nothing says where. */
export async function homeOf({ designation }: ExecutorFlow, { db, request }: Call): Promise<string> {
  if (designation === 'invalidation') return '/';
  const { launch } = await brandTargets(request.host, db);
  // An address that says something of the person is for a page that knows who they are by now.
  return launch && !launch.includes('%(') ? (launchUrl(launch, null) ?? ownPage) : ownPage;
}

/** Leaves a flow: the walk is forgotten, and the person may begin anew. It changes nothing else, so a link will do. */
export function mountCancel(
  routes: Routes,
  { db, key, publicUrl }: { readonly db: Database; readonly key: InstanceKey; readonly publicUrl: string },
): void {
  routes.on(['GET'], cancelPath, async ({ facts: { cookies, host, query } }) => {
    const token = planTokenOf(cookies, publicUrl);
    if (token) await db.write((tx) => deleteStates(tx, key, token));
    const { flow } = await brandTargets(host, db);
    const location = flow === null ? '/' : flowPage(flow, ownPath(query.get('next'), publicUrl));
    return { status: 302, headers: { location, 'cache-control': 'no-store' } };
  });
}

interface Targets {
  readonly launch: string | null;
  readonly flow: string | null;
}

const nowhere: Targets = { launch: null, flow: null };
const cache = queryCache<Targets>('brand targets');

/** Where the brand's default application is, and the slug of the flow that signs people in. */
const brandTargets = (host: string, db: Database): Promise<Targets> =>
  cache.read(db, host, async (query) => {
    const brand = await findBrandOfHost(host, query);
    const { rows } = await sql<Targets>`select
      (select a.meta_launch_url from applications a where a.pk = b.default_application) as launch,
      (select f.slug from flows f where f.pk = b.flow_authentication) as flow
      from brands b where b.pk = ${brand?.pk ?? null}`.execute(query);
    return rows[0] ?? nowhere;
  });
