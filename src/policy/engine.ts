import { messageOf } from '../lib/error-facts.ts';
import { verbatim } from '../lib/texts/message.ts';
import type { Query } from '../platform/db/database.ts';
import { type QueryCache, queryCache } from '../platform/db/query-cache.ts';
import { BudgetSpent } from '../platform/sandbox/budget.ts';
import type { Call } from '../resource/call.ts';
import { type ActiveBinding, activeBindings, loadPolicies, noBinding } from './bindings.ts';
import type { Decider } from './deciders.ts';
import type { PasswordRule, PolicyKind, Verdict } from './kind.ts';
import {
  combine,
  deciderOf,
  isMember,
  isUser,
  logOf,
  type PolicyMode,
  type PolicyOutcome,
  type PolicyResult,
  passingOutcome,
  publicMessage,
  resultWithoutBindings,
  type Target,
} from './outcome.ts';
import type { PolicySettings } from './policy.family.ts';
import { applyConsequences, executed, failed } from './policy-events.ts';
import type { PolicyRequest } from './request.ts';
import { withinSeconds } from './within-seconds.ts';

export interface Explanation {
  readonly passing: boolean;
  readonly trace: readonly TracedBinding[];
}

export interface TracedBinding extends Pick<PolicyResult, 'messages' | 'logs'> {
  readonly binding: ActiveBinding;
  readonly decider: Decider;
}

interface EvaluationInput {
  readonly call: Call;
  /** The request, or how to build it: most targets have no bindings and need none. */
  readonly request: PolicyRequest | (() => Promise<PolicyRequest>);
  /** The open transaction, if any, for the events; otherwise they get their own. */
  readonly tx?: Query;
  /** Evaluates without side effects, for example for a list of what a user may open. */
  readonly dryRun?: boolean;
  /** The user is not identified yet: bindings that depend on the user pass, and are evaluated again later. */
  readonly isUserOpen?: boolean;
}

export interface ListedPolicy {
  readonly pk: string;
  readonly kind: string;
}

/** Evaluates the policies bound to targets. */
export interface PolicyEngine {
  evaluateTarget(
    input: EvaluationInput & { readonly targetPk: string; readonly mode: PolicyMode; readonly emptyResult?: boolean },
  ): Promise<PolicyResult>;
  /** Evaluates many targets for one request, with no more statements than for one target. */
  evaluateTargets(input: EvaluationInput & { readonly targets: readonly Target[] }): Promise<Map<string, PolicyResult>>;
  /** Evaluates policies that an object lists without bindings: all have to pass, and a failure is a refusal. */
  evaluatePolicies(
    input: EvaluationInput & {
      readonly target: string;
      readonly policies: readonly ListedPolicy[];
    },
  ): Promise<PolicyResult>;
  /** What policies that an object lists require of new passwords; of equal rules, the strictest. */
  passwordRules(input: { readonly call: Call; readonly policies: readonly ListedPolicy[] }): Promise<PasswordRule[]>;
  /** Whether a policy bound to one of the targets might pass for events of this action. False only if none can. */
  mightMatch(input: {
    readonly call: Call;
    readonly targetPks: readonly string[];
    readonly action: string;
  }): Promise<boolean>;
  /** Evaluates every binding of a target, without side effects, and returns the result of each. */
  explainTarget(input: {
    readonly call: Call;
    readonly request: PolicyRequest;
    readonly target: Target;
  }): Promise<Explanation>;
  /** Constant results of policies, by binding; null if the result depends on the request. */
  constantResults(input: {
    readonly call: Call;
    readonly targetPks: readonly string[];
  }): Promise<Map<string, boolean | null>>;
  /** Tests one policy, without side effects. */
  tryPolicy(input: {
    readonly call: Call;
    readonly request: PolicyRequest;
    readonly policy: { readonly pk: string; readonly kind: string; readonly name: string };
  }): Promise<PolicyResult>;
  /** The cache of bindings. Decisions are not cached: they depend on the request. */
  readonly cache: Pick<QueryCache<unknown>, 'count' | 'clear'>;
}

/** The bindings of targets with their policies. */
interface Bound {
  readonly bindings: readonly ActiveBinding[];
  readonly policies: ReadonlyMap<string, PolicySettings>;
}

/** How a policy without a binding is evaluated. */
const listedBinding = {
  pk: noBinding,
  group: null,
  user: null,
  negate: false,
  timeout: 30,
  failure_result: false,
} as const;

const boundCache = queryCache<Bound>('bindings');
/** Larger sets are rare, and their cache entries would be large. */
const maxCachedTargets = 20;

export function createPolicyEngine(kinds: readonly PolicyKind[]): PolicyEngine {
  const byModel = new Map(kinds.map((kind) => [kind.resource.model, kind]));

  async function evaluate(
    { call, request: asking, tx, dryRun = false, isUserOpen = false }: EvaluationInput,
    targets: readonly Target[],
    { bindings, policies }: Bound,
  ): Promise<Map<string, PolicyResult>> {
    const query = tx ?? call.db.read;
    const pks = targets.map(({ pk }) => pk);
    if (bindings.length === 0) return new Map(targets.map((target) => [target.pk, combine(target, [])]));
    const request = typeof asking === 'function' ? await asking() : asking;
    const outcomes = new Map<string, PolicyOutcome[]>(pks.map((pk) => [pk, []]));
    const objects = new Map(targets.map(({ pk, obj = request.obj }) => [pk, obj]));
    for (const binding of bindings) {
      const targetRequest = { ...request, obj: objects.get(binding.target) ?? null };
      outcomes.get(binding.target)?.push(await outcomeOf(binding, policies, targetRequest, query, isUserOpen));
    }
    if (!dryRun) await applyConsequences([...outcomes.values()].flat(), call, tx);
    return new Map(targets.map((target) => [target.pk, combine(target, outcomes.get(target.pk) ?? [])]));
  }

  /** A transaction sees uncommitted rows, so it bypasses the cache. */
  function boundTo(pks: readonly string[], call: Call, tx: Query | undefined): Promise<Bound> {
    const load = async (query: Query) => {
      const bindings = await activeBindings(pks, query);
      return { bindings, policies: await policiesOf(bindings, call, query) };
    };
    if (tx) return load(tx);
    if (pks.length > maxCachedTargets) return load(call.db.read);
    return boundCache.read(call.db, pks.join(), load);
  }

  async function policiesOf(
    bindings: readonly ActiveBinding[],
    call: Call,
    query: Query,
  ): Promise<Map<string, PolicySettings>> {
    const found = new Map<string, PolicySettings>();
    for (const [model, ofKind] of Map.groupBy(bindings, ({ kind }) => kind)) {
      const kind = model === null ? undefined : byModel.get(model);
      if (!kind) continue;
      const pks = [...new Set(ofKind.flatMap(({ policy }) => policy ?? []))];
      for (const [pk, row] of await loadPolicies(kind.resource, pks, call, query)) found.set(pk, row);
    }
    return found;
  }

  async function outcomeOf(
    binding: ActiveBinding,
    policies: ReadonlyMap<string, PolicySettings>,
    request: PolicyRequest,
    query: Query,
    isUserOpen: boolean,
  ): Promise<PolicyOutcome> {
    if (binding.policy === null) {
      if (isUserOpen) return passingOutcome(binding);
      const holds = binding.group === null ? isUser(binding, request) : isMember(binding, request);
      const passing = holds !== binding.negate;
      return { passing, messages: [], logs: [], events: [], decider: deciderOf(binding, passing) };
    }
    const stored = policies.get(binding.policy);
    const policy = stored ?? { pk: binding.policy, name: binding.policy, execution_logging: false };
    try {
      const answer = decide(binding.kind, stored, request, query);
      // Most kinds decide synchronously and need no timeout.
      const verdict = answer instanceof Promise ? await withinSeconds(binding.timeout, answer) : answer;
      const written = policy.execution_logging ? [executed(binding, policy, request, verdict)] : [];
      const events = [...(verdict.events ?? []), ...written];
      const logs = (verdict.logs ?? []).map((text) => logOf(policy, 'info', text));
      const passing = verdict.passing !== binding.negate;
      return { ...verdict, passing, logs, events, decider: deciderOf(binding, passing, policy) };
    } catch (error) {
      if (isUserOpen) return passingOutcome(binding);
      // `negate` inverts decisions. A failure is not a decision: otherwise a failing negated policy would let everyone
      // in.
      const message = messageOf(error);
      // Callers may be able to exhaust the budget of their request, so that never passes.
      const passing = binding.failure_result && !(error instanceof BudgetSpent);
      const events = [failed({ ...binding, failure_result: passing }, policy, request, message)];
      return {
        passing,
        messages: [publicMessage(error)],
        logs: [logOf(policy, 'warning', message)],
        events,
        decider: deciderOf(binding, passing, policy),
      };
    }
  }

  function decide(
    model: string | null,
    policy: PolicySettings | undefined,
    request: PolicyRequest,
    query: Query,
  ): Verdict | Promise<Verdict> {
    const kind = model === null ? undefined : byModel.get(model);
    if (!kind || !policy) throw new Error(`This server has no policies of the kind ${model}.`);
    return kind.evaluate(policy, request, query);
  }

  return {
    cache: boundCache,
    async mightMatch({ call, targetPks, action }) {
      // Larger sets are not cached, so checking would cost as much as evaluating.
      if (targetPks.length > maxCachedTargets) return true;
      const { bindings, policies } = await boundTo(targetPks, call, undefined);
      return bindings.some(({ policy, kind, negate }) => {
        const row = policy === null ? undefined : policies.get(policy);
        // `execution_logging` records an event whatever the result.
        if (!row || negate || row.execution_logging) return true;
        return byModel.get(kind ?? '')?.mightMatch?.(row, action) ?? true;
      });
    },
    async evaluateTargets(input) {
      const { call, tx, targets } = input;
      const pks = targets.map(({ pk }) => pk);
      return evaluate(input, targets, await boundTo(pks, call, tx));
    },
    async evaluateTarget(input) {
      const { call, tx, targetPk, mode, emptyResult = true } = input;
      const bound = await boundTo([targetPk], call, tx);
      // The common case: most steps have no bindings.
      if (bound.bindings.length === 0) return resultWithoutBindings(emptyResult);
      const results = await evaluate(input, [{ pk: targetPk, mode, emptyResult }], bound);
      return results.get(targetPk) ?? resultWithoutBindings(emptyResult);
    },
    async evaluatePolicies(input) {
      const { call, tx, target, policies: listed } = input;
      const bindings = listed.map(({ pk, kind }) => ({ ...listedBinding, target, policy: pk, kind }));
      const policies = await policiesOf(bindings, call, tx ?? call.db.read);
      const results = await evaluate(input, [{ pk: target, mode: 'all' }], { bindings, policies });
      return results.get(target) ?? resultWithoutBindings(true);
    },
    async passwordRules({ call, policies }) {
      const rules: PasswordRule[] = [];
      for (const [model, ofKind] of Map.groupBy(policies, ({ kind }) => kind)) {
        const kind = byModel.get(model);
        if (!kind?.passwordRules) continue;
        const pks = ofKind.map(({ pk }) => pk);
        for (const policy of (await loadPolicies(kind.resource, pks, call, call.db.read)).values())
          rules.push(...kind.passwordRules(policy));
      }
      return strictest(rules);
    },
    async explainTarget({ call, request, target }) {
      const { bindings, policies } = await boundTo([target.pk], call, undefined);
      const traced = [];
      for (const binding of bindings) {
        traced.push({ binding, ...(await outcomeOf(binding, policies, request, call.db.read, false)) });
      }
      const trace = traced.map(({ binding, decider, messages, logs }) => ({ binding, decider, messages, logs }));
      return { passing: combine(target, traced).passing, trace };
    },
    async constantResults({ call, targetPks }) {
      const { bindings, policies } = await boundTo(targetPks, call, undefined);
      return new Map(
        bindings.map(({ pk, policy, kind }) => {
          const row = policy === null ? undefined : policies.get(policy);
          return [pk, row ? (byModel.get(kind ?? '')?.constantResult?.(row) ?? null) : null];
        }),
      );
    },
    async tryPolicy({ call, request, policy }) {
      const query = call.db.read;
      const kind = byModel.get(policy.kind);
      const stored = kind && (await loadPolicies(kind.resource, [policy.pk], call, query));
      const row = stored?.get(policy.pk);
      try {
        const { passing, messages, logs = [] } = await decide(policy.kind, row, request, query);
        return { passing, messages, logs: logs.map((text) => logOf(policy, 'info', text)), deciders: [] };
      } catch (error) {
        const message = messageOf(error);
        return {
          passing: false,
          messages: [verbatim(message)],
          logs: [logOf(policy, 'warning', message)],
          deciders: [],
        };
      }
    },
  };
}

function strictest(rules: readonly PasswordRule[]): PasswordRule[] {
  const alike = Map.groupBy(rules, ({ field_key, kind, characters }) => JSON.stringify([field_key, kind, characters]));
  return [...alike.values()].flatMap((group) => group.toSorted((one, other) => other.at_least - one.at_least)[0] ?? []);
}
