import { cpus } from 'node:os';
import type { Growth } from './growth.ts';
import type { MeasuredRow } from './measure.ts';
import type { Life } from './measure-all.ts';
import type { BenchOptions } from './options.ts';

const listTail = 10;
const growthLimit = 3;
const goals = {
  readyOnDataMs: 1000,
  readyOnEmptyMs: 2000,
  memoryAfterStart: 150,
  memoryAfterRun: 300,
  idleStatements: 0,
};

/** What was measured on, in general words. */
export function machineLine({ databases, rounds: { connections, rounds, seconds } }: BenchOptions): string {
  const store = databases.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL';
  return `${store}, Node ${process.versions.node}, ${cpus().length} cores; ${connections} connections, ${rounds} rounds of ${seconds} s each.`;
}

export function operationsTable(rows: readonly MeasuredRow[]): string {
  return table(
    [
      'work',
      'answer',
      'req/s',
      'p50',
      'p95',
      'p99',
      'CPU',
      'floor req/s',
      'floor p50',
      'floor p99',
      'floor CPU',
      'of the floor',
      'by CPU',
      'statements',
    ],
    rows.map(({ captured: { row, statements }, server, floor, ratio }) => [
      row.title,
      size(server.answerBytes),
      whole(server.perSecond),
      milliseconds(server.p50),
      milliseconds(server.p95),
      milliseconds(server.p99),
      milliseconds(server.processorMs),
      whole(floor.perSecond),
      milliseconds(floor.p50),
      milliseconds(floor.p99),
      milliseconds(floor.processorMs),
      mark(ratio.toFixed(2), row.goal === null || (ratio >= row.goal && hasEvenTail(row.isList, server))),
      (floor.processorMs / server.processorMs).toFixed(2),
      row.isList ? String(statements) : '',
    ]),
  );
}

const hasEvenTail = (isList: boolean, { p50, p99 }: { p50: number; p99: number }) => !isList || p99 < listTail * p50;

export function lifeTable(life: Life): string {
  const megabytes = (bytes: number) => Math.round(bytes / 1_000_000);
  const line = (name: string, value: number, unit: string, limit: number) => [
    name,
    mark(`${value}${unit}`, value <= limit),
    limit === 0 ? 'none' : `under ${limit}${unit}`,
  ];
  return table(
    ['of the server itself', 'measured', 'to reach'],
    [
      line('ready after start, on this data', Math.round(life.readyOnDataMs), ' ms', goals.readyOnDataMs),
      line('ready after start, on an empty store', Math.round(life.readyOnEmptyMs), ' ms', goals.readyOnEmptyMs),
      line('resident memory after start', megabytes(life.memoryAfterStart), ' MB', goals.memoryAfterStart),
      line('resident memory after all of the above', megabytes(life.memoryAfterRun), ' MB', goals.memoryAfterRun),
      line('statements in 10 s without requests', life.idleStatements, '', goals.idleStatements),
    ],
  );
}

export function growthTable({ few, many }: Growth): string {
  return table(
    [
      'work',
      'p50 at 10,000',
      'p95 at 10,000',
      'p50 at 1,000,000',
      'p95 at 1,000,000',
      'growth of p95',
      'of the floor at 1,000,000',
    ],
    many.map((large, index) => {
      const small = few[index] as MeasuredRow;
      const growth = large.server.p95 / small.server.p95;
      return [
        large.captured.row.title,
        milliseconds(small.server.p50),
        milliseconds(small.server.p95),
        milliseconds(large.server.p50),
        milliseconds(large.server.p95),
        mark(`${growth.toFixed(1)} times`, growth <= growthLimit),
        large.ratio.toFixed(2),
      ];
    }),
  );
}

/** A figure that misses what is to be reached stands out. */
export const mark = (text: string, isReached: boolean): string => (isReached ? text : `**${text}** (missed)`);
export const whole = (value: number): string => Math.round(value).toLocaleString('en');
export const milliseconds = (value: number): string => `${value < 10 ? value.toFixed(2) : value.toFixed(1)} ms`;
const size = (bytes: number): string => (bytes < 1000 ? `${Math.round(bytes)} B` : `${(bytes / 1000).toFixed(1)} kB`);

export function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = `|---|${'--:|'.repeat(head.length - 1)}`;
  return [row(head), rule, ...lines.map(row)].join('\n');
}
