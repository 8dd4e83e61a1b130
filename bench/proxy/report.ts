import type { MeasuredForwardAuth } from './measure.ts';

const number = (value: number) => Math.round(value).toLocaleString('en');

export const forwardAuthTable = ({ rows, connections }: MeasuredForwardAuth): string =>
  [
    `| ${connections} connections | a second | p95 | CPU each |`,
    '|---|--:|--:|--:|',
    ...rows.map(
      ({ title, figures: { perSecond, p95, cpuMs } }) =>
        `| ${title} | ${number(perSecond)} | ${p95.toFixed(1)} ms | ${cpuMs.toFixed(3)} ms |`,
    ),
  ].join('\n');
