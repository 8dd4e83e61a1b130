import { sql } from 'kysely';
import { flowsForCaller } from '../flow/applicable-flow.ts';
import { brandFlows } from '../flow/brand-flows.ts';
import { flowPage } from '../flow/executor/challenge.ts';
import { designations } from '../flow/flow.resource.ts';
import { Problem } from '../lib/problem.ts';
import type { Routes } from '../platform/http/routes.ts';
import type { PolicyEngine } from '../policy/engine.ts';
import { callersFacts } from '../policy/request.ts';
import { type BrowserMount, browserCall } from '../provider/browser-call.ts';
import type { Call } from '../resource/call.ts';

/** Which flow of the brand serves a designation. */
const ofBrand = {
  authentication: 'flow_authentication',
  invalidation: 'flow_invalidation',
  recovery: 'flow_recovery',
  unenrollment: 'flow_unenrollment',
} as const;

const isOfBrand = (designation: string): designation is keyof typeof ofBrand => Object.hasOwn(ofBrand, designation);

/**
 * Addresses by designation instead of slug: other pages and applications link to them, for example to sign out. They
 * redirect to the brand's flow, else to the first flow of the designation that applies to the caller.
 */
export function mountDefaultFlows(routes: Routes, mount: BrowserMount & { readonly policies: PolicyEngine }): void {
  for (const designation of designations) {
    routes.on(['GET'], `/flows/-/default/${designation}/`, async (http) => {
      const call = await browserCall(mount, http);
      const slug = await defaultFlow(mount.policies, call, designation);
      if (slug === null) throw new Problem('not_found');
      const { query } = http.facts;
      const location = `${flowPage(slug)}${query.size === 0 ? '' : `?${query}`}`;
      return { status: 302, headers: { location, 'cache-control': 'no-store' } };
    });
  }
}

async function defaultFlow(policies: PolicyEngine, call: Call, designation: string): Promise<string | null> {
  const { db, request } = call;
  const own = isOfBrand(designation) ? (await brandFlows(db, request.host))[ofBrand[designation]] : null;
  if (own !== null) return own;
  const { rows } = await sql<{ pk: string; slug: string }>`select pk, slug from flows
    where designation = ${designation} order by slug`.execute(db.read);
  const pks = rows.map(({ pk }) => pk);
  const open = await flowsForCaller(policies, pks, call, await callersFacts(call, db.read));
  return rows.find(({ pk }) => open.has(pk))?.slug ?? null;
}
