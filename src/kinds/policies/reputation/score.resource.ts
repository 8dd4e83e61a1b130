import { defineResource } from '../../../resource/define.ts';
import { hidden } from '../../../resource/fields/field.ts';
import { integer, time } from '../../../resource/fields/scalar.ts';
import { json } from '../../../resource/fields/structured.ts';
import { text } from '../../../resource/fields/text.ts';
import { listedFilter } from '../../../resource/list/filters.ts';
import { readAndDeleteVerbs } from '../../../resource/verb.ts';

/** Outcomes of sign-in attempts, by address and user name. */
export const reputationScores = defineResource({
  path: '/policies/reputation/scores/',
  param: 'reputation_uuid',
  key: 'uuid',
  model: 'svc_policies_reputation.reputation',
  schema: 'Reputation',
  names: ['Reputation Score', 'Reputation Scores'],
  table: 'policy_reputation_scores',
  order: ['ip'],
  page: { notInSearch: 'There is one for each name and address that tried to sign in.' },
  search: ['identifier', 'ip', 'score'],
  filters: { identifier_in: listedFilter('identifier') },
  verbs: readAndDeleteVerbs,
  nameOf: (row) => `${row.identifier}/${row.ip}`,
  fields: {
    identifier: text({ readOnly: true, filter: true }),
    ip: text({ readOnly: true, filter: true }),
    ip_geo_data: json({ readOnly: true, anyValue: true }),
    ip_asn_data: json({ readOnly: true, anyValue: true }),
    score: integer({ readOnly: true, filter: true }),
    updated: time({ readOnly: true }),
    expires: time(hidden),
  },
});
