import { sql } from 'kysely';
import { launchUrl } from '../core/application/launch-url.ts';
import { findBrandOfHost } from '../core/brand/brand-of-host.ts';
import { endedPlanCookie, planOfPage, sharedAttempt } from '../flow/attempt.ts';
import { cancelPath, flowPage } from '../flow/executor/challenge.ts';
import type { ExecutorFlow } from '../flow/executor/flow-state.ts';
import { deleteStates } from '../flow/executor/state-store.ts';
import { ownPath } from '../lib/own-path.ts';
import type { Database } from '../platform/db/database.ts';
import { queryCache } from '../platform/db/query-cache.ts';
import type { Routes } from '../platform/http/routes.ts';
import type { InstanceKey } from '../platform/keys.ts';
import type { Call } from '../resource/call.ts';

const ownPage = '/if/user/';

/** Where the browser goes when a flow ends without a `next`. */
export async function defaultRedirect({ designation }: ExecutorFlow, { db, request }: Call): Promise<string> {
  if (designation === 'invalidation') return '/';
  const { launch } = await brandTargets(request.host, db);
  // A URL with values of the user is only used on pages for signed-in users.
  return launch && !launch.includes('%(') ? (launchUrl(launch, null, '') ?? ownPage) : ownPage;
}

/**
 * Cancels a flow: deletes the walk, and leads to the sign-in or, with `back`, to `next`. It changes nothing else, so a
 * GET is enough.
 */
export function mountCancel(
  routes: Routes,
  { db, key, publicUrl }: { readonly db: Database; readonly key: InstanceKey; readonly publicUrl: string },
): void {
  routes.on(['GET'], cancelPath, async ({ facts: { cookies, host, query } }) => {
    const plan = planOfPage(cookies, publicUrl, query);
    if (plan) await db.write((tx) => deleteStates(tx, key, plan.token));
    const next = ownPath(query.get('next'), publicUrl);
    const location = query.has('back') ? (next ?? ownPage) : withApplication(await signInPage(host, db, next), query);
    const ended = plan === null || plan.attempt === sharedAttempt ? [] : [endedPlanCookie(plan.attempt, publicUrl)];
    return { status: 302, headers: { location, 'set-cookie': ended, 'cache-control': 'no-store' } };
  });
}

/** The page names the application that sent the browser. */
function withApplication(page: string, query: URLSearchParams): string {
  const application = query.get('application');
  return application !== null && page.includes('?') ? `${page}&application=${encodeURIComponent(application)}` : page;
}

async function signInPage(host: string, db: Database, next: string | null): Promise<string> {
  const { flow } = await brandTargets(host, db);
  return flow === null ? '/' : flowPage(flow, next);
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
