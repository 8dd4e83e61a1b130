import { cpus } from 'node:os';
import { few, type GrowthRow, type GrowthSizes } from './growth.ts';
import type { MeasuredLoad } from './load-users.ts';
import type { Measured, MeasuredRow } from './measure.ts';
import type { ServerFigures } from './measure-all.ts';
import type { BenchOptions } from './options.ts';
import type { ScalingRow } from './scaling.ts';

const listTail = 10;
const growthLimit = 2;
/** For 10,000 users. */
const loadLimitSeconds = 20;
const targets = {
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
      'request',
      'response',
      'req/s',
      'p50',
      'p95',
      'p99',
      'CPU',
      'floor req/s',
      'floor p50',
      'floor p99',
      'floor CPU',
      'ratio',
      'CPU ratio',
      'statements',
    ],
    rows.map(({ captured: { row, statements }, server, floor, ratio }) => [
      row.title,
      size(server.answerBytes),
      whole(server.perSecond),
      milliseconds(server.p50),
      milliseconds(server.p95),
      milliseconds(server.p99),
      milliseconds(server.cpuMs),
      whole(floor.perSecond),
      milliseconds(floor.p50),
      milliseconds(floor.p99),
      milliseconds(floor.cpuMs),
      mark(ratio.toFixed(2), row.target === null || (ratio >= row.target && hasEvenTail(row.isList, server))),
      (floor.cpuMs / server.cpuMs).toFixed(2),
      row.isList ? String(statements) : '',
    ]),
  );
}

const hasEvenTail = (isList: boolean, { p50, p99 }: { p50: number; p99: number }) => !isList || p99 < listTail * p50;

export function serverTable(figures: ServerFigures): string {
  const megabytes = (bytes: number) => Math.round(bytes / 1_000_000);
  const line = (name: string, value: number, unit: string, limit: number) => [
    name,
    mark(`${value}${unit}`, value <= limit),
    limit === 0 ? 'none' : `under ${limit}${unit}`,
  ];
  return table(
    ['server', 'measured', 'target'],
    [
      line('ready after start, on this data', Math.round(figures.readyOnDataMs), ' ms', targets.readyOnDataMs),
      line(
        'ready after start, on an empty database',
        Math.round(figures.readyOnEmptyMs),
        ' ms',
        targets.readyOnEmptyMs,
      ),
      line('resident memory after start', megabytes(figures.memoryAfterStart), ' MB', targets.memoryAfterStart),
      line('resident memory after all of the above', megabytes(figures.memoryAfterRun), ' MB', targets.memoryAfterRun),
      line('statements in 10 s without requests', figures.idleStatements, '', targets.idleStatements),
    ],
  );
}

export function growthTable(rows: readonly GrowthRow[], sizes: GrowthSizes): string {
  const heads = [few, sizes].map(({ users, events }) => `${whole(users)} users, ${whole(events)} events`);
  const [small, large] = heads;
  return table(
    ['request', `p50, ${small}`, 'p95', 'CPU', `p50, ${large}`, 'p95', 'CPU', 'growth of p95', 'growth of CPU'],
    rows.map((row) => {
      const growth = row.many.p95 / row.few.p95;
      return [
        row.title,
        ...[row.few, row.many].flatMap(({ p50, p95, cpuMs }) => [p50, p95, cpuMs].map(milliseconds)),
        mark(`${growth.toFixed(1)} times`, growth <= growthLimit),
        `${(row.many.cpuMs / row.few.cpuMs).toFixed(1)} times`,
      ];
    }),
  );
}

export const scalingTable = (rows: readonly ScalingRow[]): string =>
  table(
    ['request', 'instances', 'req/s', 'CPU of servers', 'CPU of the database', 'together'],
    rows.map(({ title, instances, perSecond, serverMs, databaseMs }) => [
      title,
      String(instances),
      whole(perSecond),
      ...[serverMs, databaseMs, serverMs + databaseMs].map(milliseconds),
    ]),
  );

export function loadTable({ users, seconds, serverMs, databaseMs }: MeasuredLoad): string {
  const isMet = (seconds / users) * 10_000 <= loadLimitSeconds;
  return table(
    ['created through the API', 'time', 'a second', 'CPU of the server', 'CPU of the database', 'together'],
    [
      [
        `${whole(users)} users`,
        mark(`${seconds.toFixed(1)} s`, isMet),
        whole(users / seconds),
        ...[serverMs, databaseMs, serverMs + databaseMs].map(milliseconds),
      ],
    ],
  );
}

/** Marks a figure that misses its target. */
export const mark = (text: string, isMet: boolean): string => (isMet ? text : `**${text}** (missed)`);
export const whole = (value: number): string => Math.round(value).toLocaleString('en');
export const milliseconds = (value: number): string => `${value < 10 ? value.toFixed(2) : value.toFixed(1)} ms`;
const size = (bytes: number): string => (bytes < 1000 ? `${Math.round(bytes)} B` : `${(bytes / 1000).toFixed(1)} kB`);

/** Requests per second, latencies and CPU of the server, then requests and CPU of its floor. */
export const figureCells = ({ figures }: Measured, floor: Measured): string[] => [
  whole(figures.perSecond),
  milliseconds(figures.p50),
  milliseconds(figures.p99),
  milliseconds(figures.cpuMs),
  whole(floor.figures.perSecond),
  milliseconds(floor.figures.cpuMs),
];

export function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = `|---|${'--:|'.repeat(head.length - 1)}`;
  return [row(head), rule, ...lines.map(row)].join('\n');
}
