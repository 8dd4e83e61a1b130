import { milliseconds, table } from '../report.ts';
import type { Compared } from './measure.ts';

export const comparisonTable = (rows: readonly Compared[]): string =>
  table(
    ['request', 'CPU of server and database', 'Keycloak', 'Keycloak : ours', 'p50', 'Keycloak'],
    rows.map(({ title, ours, theirs }) => [
      title,
      ...[ours.cpuMs, theirs.cpuMs].map(milliseconds),
      (theirs.cpuMs / ours.cpuMs).toFixed(1),
      ...[ours.p50, theirs.p50].map(milliseconds),
    ]),
  );
