import { ratioOf } from '../measure.ts';
import { mark, milliseconds, table, whole } from '../report.ts';
import type { MeasuredOAuthRow } from './measure.ts';

export function oauthTable(rows: readonly MeasuredOAuthRow[]): string {
  return table(
    [
      'work',
      'req/s',
      'p50',
      'p99',
      'CPU',
      'floor req/s',
      'floor CPU',
      'oidc-provider req/s',
      'oidc-provider CPU',
      'of the floor',
      'by CPU',
      'to oidc-provider',
      'by CPU',
    ],
    rows.map(({ row, server, floor, other }) => {
      const ours = server.figures;
      const [toFloor, toOther] = [ratioOf(server, floor), ratioOf(server, other)];
      return [
        row.title,
        whole(ours.perSecond),
        milliseconds(ours.p50),
        milliseconds(ours.p99),
        milliseconds(ours.processorMs),
        whole(floor.figures.perSecond),
        milliseconds(floor.figures.processorMs),
        whole(other.figures.perSecond),
        milliseconds(other.figures.processorMs),
        mark(toFloor.toFixed(2), row.goal === null || toFloor >= row.goal),
        (floor.figures.processorMs / ours.processorMs).toFixed(2),
        mark(toOther.toFixed(2), toOther > 1),
        (other.figures.processorMs / ours.processorMs).toFixed(2),
      ];
    }),
  );
}
