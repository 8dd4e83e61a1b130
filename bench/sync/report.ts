import { mark, milliseconds, table, whole } from '../report.ts';
import type { MeasuredSync } from './measure.ts';

const target = 0.5;
const targetLatencyMs = 1_000;

export function syncTable(measured: MeasuredSync): string {
  const { requests, connections, runMs, floorMs, runCpuMs, floorCpuMs, latencyMs } = measured;
  const line = (name: string, ms: number, cpuMs: number, ratio: string, cpuRatio: string) => [
    name,
    whole(requests / (ms / 1_000)),
    milliseconds(cpuMs / requests),
    ratio,
    cpuRatio,
  ];
  const cpuRatio = floorCpuMs / runCpuMs;
  const rows = table(
    [`${whole(requests)} requests over ${connections} connections`, 'req/s', 'CPU', 'ratio', 'CPU ratio'],
    [
      line(
        'a full SCIM run',
        runMs,
        runCpuMs,
        (floorMs / runMs).toFixed(2),
        mark(cpuRatio.toFixed(2), cpuRatio >= target),
      ),
      line('a loop of `fetch`', floorMs, floorCpuMs, '', ''),
    ],
  );
  const latency = mark(`${Math.round(latencyMs)} ms`, latencyMs <= targetLatencyMs);
  return `${rows}\n\nA single change reaches the target ${latency} after its response (median of 20).`;
}
