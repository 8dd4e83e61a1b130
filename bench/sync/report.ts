import type { MeasuredSync } from './measure.ts';

export function syncTable({ requests, connections, runMs, floorMs, latencyMs }: MeasuredSync): string {
  const perSecond = (milliseconds: number) => Math.round(requests / (milliseconds / 1_000)).toLocaleString('en');
  return [
    `| a full SCIM run, ${requests.toLocaleString('en')} requests over ${connections} connections | |`,
    '|---|--:|',
    `| requests a second | ${perSecond(runMs)} |`,
    `| the same by a loop of \`fetch\` | ${perSecond(floorMs)} |`,
    `| share | ${(floorMs / runMs).toFixed(2)} |`,
    `| a single change is at the target after (median) | ${Math.round(latencyMs)} ms |`,
  ].join('\n');
}
