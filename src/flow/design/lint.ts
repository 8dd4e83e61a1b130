import { type Finding, severities } from './finding.ts';
import { type LintedFlow, reachedSteps } from './reach.ts';
import { Reading, rules } from './rules.ts';

/** What is wrong with a flow, worst first. Pure. */
export function lintFlow(flow: LintedFlow): Finding[] {
  const reading = new Reading(flow, reachedSteps(flow));
  const found = rules.flatMap(({ where, ...rule }) => where(reading).map((binding) => ({ ...rule, binding })));
  return found.toSorted((one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity));
}
