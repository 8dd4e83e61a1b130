import { useState } from 'react';
import { apiFetch } from '../../api/call.ts';
import type { FlowDesign, FlowDiagram } from '../../api/types.ts';
import { Button } from '../../elements/button.tsx';
import { Code } from '../../elements/code.tsx';
import { CopyButton } from '../../elements/copy-button.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { t } from '../../texts/texts.ts';
import { shippedLabel } from '../shipped-labels.ts';
import { flowsPath, type Gate, typeOf } from './design.ts';
import { GateWords, modeWords } from './gate-words.tsx';

/** The flow as a diagram. Gates are forks: who does not pass skips the stage. */
export function Diagram({ design }: { design: FlowDesign }) {
  return (
    <div className="stack">
      <ol className="flow-diagram" aria-label={t('The path through the flow')}>
        <li className="diagram-end">{t('Beginning')}</li>
        <Fork gates={design.gates} mode={design.policy_engine_mode} otherwise={t('turned away')} />
        {design.steps.map((step) => (
          <li key={step.pk}>
            <ol>
              <Fork gates={step.gates} mode={step.policy_engine_mode} otherwise={t('goes on after this stage')} />
              <li className="diagram-stage">
                <strong>
                  <bdi>{shippedLabel(step.name ?? '') ?? step.name ?? t('hidden')}</bdi>
                </strong>
                <span className="quiet small">{typeOf(step)}</span>
              </li>
            </ol>
          </li>
        ))}
        <li className="diagram-end">{t('End of the flow')}</li>
      </ol>
      <Mermaid slug={design.slug} />
    </div>
  );
}

interface ForkProps {
  readonly gates: readonly Gate[];
  readonly mode: 'all' | 'any';
  readonly otherwise: string;
}

function Fork({ gates, mode, otherwise }: ForkProps) {
  const active = gates.filter(({ enabled }) => enabled);
  if (active.length === 0) return null;
  return (
    <li className="diagram-fork">
      <div className="diagram-gate">
        {active.length > 1 && <p className="quiet small">{modeWords(mode)}</p>}
        {active.map((gate) => (
          <p key={gate.pk}>
            <GateWords gate={gate} />
          </p>
        ))}
      </div>
      <p className="diagram-otherwise small">{t('else: {what}', { what: otherwise })}</p>
    </li>
  );
}

/** The diagram as Mermaid source, loaded on demand. */
function Mermaid({ slug }: { slug: string }) {
  const [text, setText] = useState<string | null>(null);
  const { isBusy, problem, attempt } = useAttempt();
  const ask = () =>
    attempt(async () => {
      const path = `${flowsPath}${encodeURIComponent(slug)}/diagram/`;
      setText((await apiFetch<FlowDiagram>('GET', path)).diagram);
    });
  if (text !== null)
    return (
      <div className="stack-tight">
        <Code text={text} />
        <div className="row">
          <CopyButton text={text} />
        </div>
      </div>
    );
  return (
    <div className="row">
      {problem && <Notice tone="bad">{problem}</Notice>}
      <Button isBusy={isBusy} onClick={ask}>
        {t('Show as Mermaid')}
      </Button>
    </div>
  );
}
