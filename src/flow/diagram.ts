import { type RawBuilder, sql } from 'kysely';
import { Problem } from '../lib/problem.ts';
import { visibleRows } from '../resource/access.ts';
import type { Call } from '../resource/call.ts';
import type { Registry } from '../resource/resource.ts';

interface Part {
  readonly target: string;
  readonly mode: string;
  /** Null if the caller may not see it. */
  readonly name: string | null;
}

interface DiagramFlow {
  readonly pk: string;
  readonly name: string;
  readonly target: string;
  readonly mode: string;
}

/** A flow as a Mermaid chart of its policies and stages. */
export async function flowDiagram(call: Call, registry: Registry, flow: DiagramFlow): Promise<string> {
  const stages = await loadStages(call, registry, flow.pk);
  const targets = [flow.target, ...stages.map(({ target }) => target)];
  const policies = Map.groupBy(await loadPolicies(call, registry, targets), ({ target }) => target);
  const lines = ['graph TD', `  start([${label('Flow', flow.name)}])`, '  done([End of the flow])'];
  const firstStage = stages.length > 0 ? entryOf(0) : 'done';
  const gates = policies.get(flow.target) ?? [];
  if (gates.length === 0) lines.push(`  start --> ${firstStage}`);
  else {
    lines.push('  denied([Access denied])', `  start --> ${gate('start')}`);
    lines.push(...gateLines('start', flow.mode, gates, firstStage, 'denied'));
  }
  for (const [index, stage] of stages.entries()) {
    const next = index + 1 < stages.length ? entryOf(index + 1) : 'done';
    const bound = policies.get(stage.target) ?? [];
    if (bound.length > 0) lines.push(...gateLines(`stage_${index}`, stage.mode, bound, `stage_${index}`, next));
    lines.push(`  stage_${index}[${label('Stage', stage.name)}]`, `  stage_${index} --> ${next}`);
  }
  return lines.join('\n');

  function entryOf(index: number): string {
    return policies.has(stages[index]?.target ?? '') ? gate(`stage_${index}`) : `stage_${index}`;
  }
}

const gate = (id: string): string => `${id}_policies`;

function gateLines(id: string, mode: string, bound: readonly Part[], passed: string, refused: string): string[] {
  const names = bound.map(({ name }) => escaped(name ?? 'hidden')).join('<br>');
  const heading = bound.length === 1 ? 'Policy' : mode === 'all' ? 'All of' : 'Any of';
  return [
    `  ${gate(id)}{{"${heading}<br>${names}"}}`,
    `  ${gate(id)} -- passes --> ${passed}`,
    `  ${gate(id)} -- fails --> ${refused}`,
  ];
}

const label = (kind: string, name: string | null): string => `"${kind}<br>${escaped(name ?? 'hidden')}"`;

/** Names are untrusted text: characters that could end a label or start markup are escaped by number. */
const escaped = (text: string): string =>
  text.replaceAll(/[^\p{L}\p{N} .,_/()-]/gu, (character) => `#${character.codePointAt(0)};`);

async function loadStages(call: Call, registry: Registry, flow: string): Promise<Part[]> {
  const isShown = await shownTo(call, registry, 'svc_flows.stage');
  const { rows } = await sql<Part>`select b.policybindingmodel_ptr_id as target, b.policy_engine_mode as mode,
    (select t.name from stages t where t.pk = b.stage and ${isShown}) as name
    from flow_stage_bindings b where b.target = ${flow} order by b."order", b.pk`.execute(call.db.read);
  return rows;
}

/** What decides: policies, and bound users and groups. */
async function loadPolicies(call: Call, registry: Registry, targets: readonly string[]): Promise<Part[]> {
  const [policy, group, user] = [
    await shownTo(call, registry, 'svc_policies.policy'),
    await shownTo(call, registry, 'svc_core.group'),
    await shownTo(call, registry, 'svc_core.user'),
  ];
  const { rows } = await sql<Part>`select b.target, '' as mode, coalesce(
      (select t.name from policies t where t.pk = b.policy and ${policy}),
      (select t.name from groups t where t.pk = b."group" and ${group}),
      (select t.username from users t where t.pk = b."user" and ${user})) as name
    from policy_bindings b where b.enabled and b.target in (${sql.join(targets)}) order by b."order", b.pk`.execute(
    call.db.read,
  );
  return rows;
}

/** A condition on `t` for what the caller may see. */
export async function shownTo(call: Call, registry: Registry, model: string): Promise<RawBuilder<unknown>> {
  try {
    return (await visibleRows(registry.require(model), call, registry)) ?? sql`1 = 1`;
  } catch (error) {
    if (error instanceof Problem) return sql`1 = 0`;
    throw error;
  }
}
