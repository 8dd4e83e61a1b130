import { changeScore } from '../../kinds/policies/reputation/score.ts';
import type { Shown } from './demo-api.ts';
import type { DemoWorld } from './demo-world.ts';

export interface DemoPolicies {
  readonly officeHours: Shown;
}

/** One policy of each kind, and a little history for the one that keeps score. */
export async function makePolicies({ api, world, once, now }: DemoWorld): Promise<DemoPolicies> {
  const officeHours = await api.ensure(
    '/policies/expression/',
    { name: 'Demo: only people of the demo company' },
    { expression: 'return request.user.groups.some((group) => group.name === "Demo Company");' },
  );
  await api.ensure('/policies/geoip/', { name: 'Demo: from Europe' }, { countries: ['DE', 'FR', 'SE'], asns: [] });
  await api.ensure('/policies/password_expiry/', { name: 'Demo: new password every year' }, { days: 365 });
  await api.ensure('/policies/reputation/', { name: 'Demo: nobody who guesses' }, { check_ip: true, threshold: -5 });
  await api.ensure('/policies/password/', { name: 'Demo: long passwords' }, { length_min: 12 });
  await api.ensure('/policies/dummy/', { name: 'Demo: always yes' }, { result: true, wait_min: 0, wait_max: 0 });
  const guess = { identifier: 'demo-ada', ip: '192.0.2.66' };
  await once('policy_reputation_scores', guess, (tx) => changeScore(tx, world.geo, { ...guess, by: -1, now }));
  return { officeHours };
}
