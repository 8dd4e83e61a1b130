import { ratioOf } from '../measure.ts';
import { mark, milliseconds, table, whole } from '../report.ts';
import type { MeasuredSaml } from './measure.ts';

const target = 0.5;

export function samlTable({ server, floor }: MeasuredSaml): string {
  const ours = server.figures;
  const cpuRatio = floor.figures.cpuMs / ours.cpuMs;
  return table(
    ['request', 'req/s', 'p50', 'p99', 'CPU', 'floor req/s', 'floor CPU', 'ratio', 'CPU ratio'],
    [
      [
        'SAML sign-in with a session: AuthnRequest in, signed response out',
        whole(ours.perSecond),
        milliseconds(ours.p50),
        milliseconds(ours.p99),
        milliseconds(ours.cpuMs),
        whole(floor.figures.perSecond),
        milliseconds(floor.figures.cpuMs),
        ratioOf(server, floor).toFixed(2),
        mark(cpuRatio.toFixed(2), cpuRatio >= target),
      ],
    ],
  );
}
