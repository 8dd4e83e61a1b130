import { deletedName } from '../policy/deciders.ts';
import type { Call } from '../resource/call.ts';
import type { Registry } from '../resource/resource.ts';
import { type DesignGate, loadGates, loadSteps } from './design/load-design.ts';

interface DiagramFlow {
  readonly pk: string;
  readonly name: string;
  readonly target: string;
  readonly mode: string;
}

/** A flow as a Mermaid chart of its policies and stages. */
export async function flowDiagram(call: Call, registry: Registry, flow: DiagramFlow): Promise<string> {
  const stages = await loadSteps(call, registry, flow.pk, call.db.read);
  const targets = [flow.target, ...stages.map(({ target }) => target)];
  const enabled = (await loadGates(call, registry, targets)).filter((gate) => gate.enabled);
  const gatesOf = Map.groupBy(enabled, ({ target }) => target);
  const lines = ['graph TD', `  start([${label('Flow', flow.name)}])`, '  done([End of the flow])'];
  const firstStage = stages.length > 0 ? entryOf(0) : 'done';
  const gates = gatesOf.get(flow.target) ?? [];
  if (gates.length === 0) lines.push(`  start --> ${firstStage}`);
  else {
    lines.push('  denied([Access denied])', `  start --> ${gate('start')}`);
    lines.push(...gateLines('start', flow.mode, gates, firstStage, 'denied'));
  }
  for (const [index, stage] of stages.entries()) {
    const next = index + 1 < stages.length ? entryOf(index + 1) : 'done';
    const bound = gatesOf.get(stage.target) ?? [];
    if (bound.length > 0)
      lines.push(...gateLines(`stage_${index}`, stage.policy_engine_mode, bound, `stage_${index}`, next));
    lines.push(`  stage_${index}[${label('Stage', stage.name)}]`, `  stage_${index} --> ${next}`);
  }
  return lines.join('\n');

  function entryOf(index: number): string {
    return gatesOf.has(stages[index]?.target ?? '') ? gate(`stage_${index}`) : `stage_${index}`;
  }
}

const gate = (id: string): string => `${id}_policies`;

function gateLines(id: string, mode: string, bound: readonly DesignGate[], passed: string, refused: string): string[] {
  const names = bound.map(({ name }) => escaped(name === '' ? deletedName : (name ?? 'hidden'))).join('<br>');
  const several = mode === 'all' ? 'All of' : 'Any of';
  const heading = bound.length === 1 ? 'Policy' : several;
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
