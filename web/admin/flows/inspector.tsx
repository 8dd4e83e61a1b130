import { useEffect, useState } from 'react';
import { errorMessage } from '../../api/call.ts';
import { callApi } from '../../api/client.ts';
import type { FlowInspection, FlowStageBinding } from '../../api/types.ts';
import { Code } from '../../elements/code.tsx';
import { Notice } from '../../elements/notice.tsx';
import type { Challenge } from '../../flow/challenge.ts';
import { t } from '../../texts/texts.ts';
import { kindName } from '../labels.ts';

/** The state of the running flow, reloaded at each step. */
export function Inspector({ slug, challenge }: { slug: string; challenge: Challenge | null }) {
  const [read, setRead] = useState<{ readonly value?: FlowInspection; readonly problem?: string } | null>(null);
  useEffect(() => {
    if (!challenge) return;
    let isWanted = true;
    callApi<FlowInspection>('GET', `/flows/inspector/${encodeURIComponent(slug)}/`)
      .then((value) => isWanted && setRead({ value }))
      .catch((caught) => isWanted && setRead({ problem: errorMessage(caught) }));
    return () => {
      isWanted = false;
    };
  }, [slug, challenge]);
  if (read?.problem) return <Notice tone="plain">{read.problem}</Notice>;
  const plan = read?.value?.current_plan;
  if (!plan) return null;
  const context = Object.entries(plan.plan_context).filter(([, value]) => value !== null);
  return (
    <>
      <dl className="facts">
        <div>
          <dt>{t('Now')}</dt>
          <dd>
            <Stage binding={plan.current_stage} />
          </dd>
        </div>
        <div>
          <dt>{t('Next')}</dt>
          <dd>{plan.next_planned_stage ? <Stage binding={plan.next_planned_stage} /> : t('The end of the flow')}</dd>
        </div>
      </dl>
      <h3>{t('Context of the flow')}</h3>
      <p className="quiet small">{t('Entered values and secrets are masked.')}</p>
      <Code text={JSON.stringify(Object.fromEntries(context), null, 2)} />
    </>
  );
}

function Stage({ binding }: { binding: FlowStageBinding | null }) {
  const stage = binding?.stage_obj;
  if (!stage) return <>–</>;
  return (
    <>
      <bdi>{stage.name}</bdi> <span className="quiet small">{kindName(stage.verbose_name)}</span>
    </>
  );
}
