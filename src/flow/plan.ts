import { sql } from 'kysely';
import type { Json } from '../lib/json.ts';
import { addMilliseconds } from '../platform/clock.ts';
import type { Query } from '../platform/db/database.ts';
import { type InstanceKey, sealContext } from '../platform/keys.ts';
import { createEvictOldest, noOrigin, type RowOrigin } from '../platform/limits/network-eviction.ts';
import { randomText, randomUuid } from '../platform/random.ts';

/** How a person will go through a flow. README.md documents the members. */
export interface FlowPlan {
  readonly flow: { readonly pk: string; readonly slug: string };
  /** Whether the person authenticated at a source. */
  readonly sso: boolean;
  /** The source they came from. */
  readonly source: { readonly pk: string; readonly slug: string; readonly name: string; readonly model: string } | null;
  /** The flow's user, if already identified. */
  readonly pending_user: number | null;
  /** When the user's password at the time of the source sign-in was set. */
  readonly password_set?: string;
  /** Initial values of prompts and of a new user. */
  readonly prompt_data: Readonly<Record<string, Json>>;
  /** Whether the person came through a link sent to them; policies see it in the context. */
  readonly is_restored?: boolean;
  /** The address that the link was mailed to; missing for links that administrators made. */
  readonly mailed_to?: string;
  /** The address by which an account of a source is about to be connected to an existing user, who signs in first. */
  readonly connects?: string;
  /**
   * Nothing shows that the user wants this flow: they, or a page that sent their browser, opened its page while they
   * were signed in.
   */
  readonly isOpened?: boolean;
  /** For a client with a name and a password (`password-sign-in.ts`): no pages, no stored walk, no session. */
  readonly isWithoutBrowser?: boolean;
  /** Further input for stages: the requested application and scopes. */
  readonly context?: Readonly<Record<string, Json>>;
  /** What happens after the flow's own stages, in this order. */
  readonly append: readonly PlanStep[];
  /** What happens instead when the person declines or is denied. */
  readonly refusal?: Refusal;
}

export interface Refusal {
  readonly append: readonly PlanStep[];
  /** The path to continue at. */
  readonly next: string;
  /** The name of the application at the end of the path, if any. */
  readonly application_name?: string;
}

/** A plan without a source; `more` overrides its members. */
export const createPlan = (
  { pk, slug }: FlowPlan['flow'],
  user: number | null,
  more: Partial<
    Pick<FlowPlan, 'context' | 'append' | 'refusal' | 'is_restored' | 'isOpened' | 'isWithoutBrowser'>
  > = {},
): FlowPlan => ({
  flow: { pk, slug },
  sso: false,
  source: null,
  pending_user: user,
  prompt_data: {},
  append: [],
  ...more,
});

/** A step to run when a flow ends; the kind of source or provider that planned it interprets it. */
export interface PlanStep {
  /** The model of that kind. */
  readonly kind: string;
  readonly step: string;
  readonly content: Json;
}

const lifetimeMs = 30 * 60_000;
/** A walk is found by the hash of its token and flow, so it is sealed with both. */
export const planContext = (tokenHash: string, flow: string): string =>
  sealContext('flow_plans', 'context', `${tokenHash} ${flow}`);

/**
 * Saves a plan and returns its token, of which only a hash is stored. `countedWith` bounds the plans of one origin
 * (`plansOf`).
 */
export async function savePlan(
  tx: Query,
  key: InstanceKey,
  plan: FlowPlan,
  now: string,
  countedWith: RowOrigin | null = null,
): Promise<string> {
  const token = randomText(43);
  const hash = key.hash(token);
  const sealed = key.box.seal(JSON.stringify(plan), planContext(hash, plan.flow.pk));
  if (countedWith !== null) await evictOldestPlans(tx, countedWith);
  const { network, network_56, network_48 } = countedWith ?? noOrigin;
  await sql`insert into flow_plans (pk, token_hash, flow, context, created, expires, network, network_56, network_48)
    values (${randomUuid()}, ${hash}, ${plan.flow.pk}, ${sealed}, ${now}, ${addMilliseconds(now, lifetimeMs)},
      ${network}, ${network_56}, ${network_48})`.execute(tx);
  return token;
}

/** Plans and walks of one session, or of the anonymous visitors of one network; the oldest are evicted. */
const maxPerOrigin = 500;

/** Limits the table; a job deletes expired rows. */
export const evictOldestPlans = createEvictOldest('flow_plans', maxPerOrigin);
