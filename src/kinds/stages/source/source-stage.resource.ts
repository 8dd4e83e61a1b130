import { sql } from 'kysely';
import { defineStage } from '../../../flow/stage.family.ts';
import { ref } from '../../../resource/fields/ref.ts';
import { duration } from '../../../resource/fields/scalar.ts';

/** Has people authenticate at a source within a flow. `models` are the kinds of source that support this. */
export const sourceStage = (models: readonly string[]) =>
  defineStage({
    path: '/stages/source/',
    model: 'svc_stages_source.sourcestage',
    schema: 'SourceStage',
    names: ['Source Stage', 'Source Stages'],
    component: 'xak-stage-source-form',
    description: 'Signs the user in at a source in the middle of a flow.',
    table: 'stage_source',
    fields: {
      source: ref('svc_core.source', 'uuid', { filter: true, help: 'The source that people are sent to.' }),
      resume_timeout: duration({
        default: 'minutes=10',
        filter: true,
        help: 'How long people may stay at the source before they have to start again.',
      }),
    },
    async check({ tx, values }) {
      const { rows } = await sql<{ kind: string }>`select kind from sources where pk = ${values.source}`.execute(tx);
      return models.includes(rows[0]?.kind ?? '')
        ? null
        : { source: ['Sources of this kind cannot be asked within a flow.'] };
    },
  });
