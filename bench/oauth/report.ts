import { ratioOf } from '../measure.ts';
import { figureCells, mark, milliseconds, table, whole } from '../report.ts';
import type { MeasuredOAuthRow } from './measure.ts';
import type { TokenCost } from './measure-cost.ts';

export function oauthTable(rows: readonly MeasuredOAuthRow[]): string {
  return table(
    [
      'request',
      'req/s',
      'p50',
      'p99',
      'CPU',
      'floor req/s',
      'floor CPU',
      'oidc-provider req/s',
      'oidc-provider CPU',
      'ratio',
      'CPU ratio',
      'ratio to oidc-provider',
      'CPU ratio',
    ],
    rows.map(({ row, server, floor, other }) => {
      const ours = server.figures;
      const [toFloor, toOther] = [ratioOf(server, floor), ratioOf(server, other)];
      return [
        row.title,
        ...figureCells(server, floor),
        whole(other.figures.perSecond),
        milliseconds(other.figures.cpuMs),
        mark(toFloor.toFixed(2), row.target === null || toFloor >= row.target),
        (floor.figures.cpuMs / ours.cpuMs).toFixed(2),
        mark(toOther.toFixed(2), toOther > 1),
        (other.figures.cpuMs / ours.cpuMs).toFixed(2),
      ];
    }),
  );
}

export const costTable = (costs: readonly TokenCost[]): string =>
  table(
    ['request', 'req/s', 'p50', 'p99', 'CPU of server and database'],
    costs.map(({ title, figures: { perSecond, p50, p99, cpuMs } }) => [
      title,
      whole(perSecond),
      ...[p50, p99, cpuMs].map(milliseconds),
    ]),
  );
