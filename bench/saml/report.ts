import { ratioOf } from '../measure.ts';
import { figureCells, mark, table } from '../report.ts';
import type { MeasuredSaml } from './measure.ts';

const target = 0.5;

export function samlTable({ server, floor }: MeasuredSaml): string {
  const cpuRatio = floor.figures.cpuMs / server.figures.cpuMs;
  return table(
    ['request', 'req/s', 'p50', 'p99', 'CPU', 'floor req/s', 'floor CPU', 'ratio', 'CPU ratio'],
    [
      [
        'SAML sign-in with a session: AuthnRequest in, signed response out',
        ...figureCells(server, floor),
        ratioOf(server, floor).toFixed(2),
        mark(cpuRatio.toFixed(2), cpuRatio >= target),
      ],
    ],
  );
}
