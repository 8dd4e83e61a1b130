import { useEffect, useRef } from 'react';
import type { FlowDesign } from '../../api/types.ts';
import { Notice } from '../../elements/notice.tsx';
import { t } from '../../texts/texts.ts';
import { hereWith, useAddress } from '../address.ts';
import { Link } from '../link.tsx';
import { AddStage } from './add-stage.tsx';
import { useCanDesign } from './design.ts';
import { Findings, FindingsSummary } from './findings.tsx';
import { GatesPane } from './gates-pane.tsx';
import { GateStrip, StepCard } from './step-card.tsx';
import { StepPane } from './step-pane.tsx';
import { useReorder } from './use-reorder.ts';

interface Props {
  readonly design: FlowDesign;
  reload(): Promise<void>;
}

/** The stages of a flow as ordered cards, with the form of the selected one beside them. */
export function Designer({ design, reload }: Props) {
  const canChange = useCanDesign(design);
  const { query } = useAddress();
  const { steps, dragged, told, problem, moves } = useReorder(design, reload);
  const chosen = query.get('step');
  const about = (binding: string | null) => (design.findings ?? []).filter((one) => one.binding === binding);
  return (
    <div className="designer">
      <div className="stack">
        <FindingsSummary findings={design.findings} />
        <div className="flow-begin" data-open={chosen === 'flow' || undefined}>
          <GateStrip gates={design.gates} mode={design.policy_engine_mode} />
          <div className="card flow-card">
            <h2>
              <Link
                href={hereWith({ step: 'flow', pane: null, gate: null, add: null })}
                aria-current={chosen === 'flow' || undefined}
              >
                {t('Beginning')}
              </Link>
            </h2>
            <Findings findings={about(null)} label={t('Findings about the flow')} />
          </div>
        </div>
        {problem && <Notice tone="bad">{problem}</Notice>}
        <p className="visually-hidden" role="status">
          {told}
        </p>
        {steps.length === 0 ? (
          <p className="empty">{t('This flow has no stages yet.')}</p>
        ) : (
          <ol className="flow-steps" aria-label={t('Stages in order')}>
            {steps.map((step, at) => (
              <StepCard
                key={step.pk}
                step={step}
                place={at + 1}
                count={steps.length}
                findings={about(step.pk)}
                isOpen={chosen === step.pk}
                isDragged={dragged === step.pk}
                moves={canChange ? moves : null}
              />
            ))}
          </ol>
        )}
        {canChange && (
          <div className="row">
            <Link className="button" href={hereWith({ add: '', step: null, pane: null, gate: null })}>
              {t('Add a stage')}
            </Link>
          </div>
        )}
      </div>
      <Pane {...{ design, reload, canChange }} />
    </div>
  );
}

function Pane({ design, reload, canChange }: Props & { canChange: boolean }) {
  const { query } = useAddress();
  const step = design.steps.find(({ pk }) => pk === query.get('step'));
  const isAdding = canChange && query.has('add');
  const isBeginning = query.get('step') === 'flow';
  const pane = useRef<HTMLElement>(null);
  const chosen = isAdding ? 'add' : query.get('step');
  // On narrow screens the pane is below the stages: what was chosen there is out of sight.
  useEffect(() => {
    if (chosen !== null && innerWidth < 960) pane.current?.scrollIntoView({ block: 'start' });
  }, [chosen]);
  return (
    <section ref={pane} className="designer-pane" aria-label={t('What is chosen')}>
      <Chosen {...{ design, reload, canChange, step, isAdding, isBeginning }} />
    </section>
  );
}

interface ChosenProps extends Props {
  readonly canChange: boolean;
  readonly step: FlowDesign['steps'][number] | undefined;
  readonly isAdding: boolean;
  readonly isBeginning: boolean;
}

function Chosen({ design, reload, canChange, step, isAdding, isBeginning }: ChosenProps) {
  if (isAdding) return <AddStage design={design} reload={reload} />;
  if (step) return <StepPane key={step.pk} {...{ step, canChange, reload }} isSignIn={design.is_sign_in} />;
  if (isBeginning)
    return (
      <div className="stack">
        <h2>{t('Who may begin the flow')}</h2>
        <GatesPane
          target={design.target}
          gates={design.gates}
          mode={design.policy_engine_mode}
          open={t('Everybody for whom its settings allow it.')}
          {...{ canChange, reload }}
        />
      </div>
    );
  return (
    <div className="stack">
      <dl className="facts">
        <div>
          <dt>{t('Address')}</dt>
          <dd>
            <bdi>{`/if/flow/${design.slug}/`}</bdi>
          </dd>
        </div>
      </dl>
      <p className="quiet">{t('Choose a stage to see its form, its gates and its place in the flow.')}</p>
    </div>
  );
}
