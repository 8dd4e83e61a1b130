import { type FormEvent, useState } from 'react';
import { apiFetch } from '../../api/call.ts';
import type { FlowDesign, FlowStageBinding } from '../../api/types.ts';
import { Button } from '../../elements/button.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useToast } from '../../elements/toast.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { t } from '../../texts/texts.ts';
import { goTo, hereWith, useAddress } from '../address.ts';
import { type ResourceEntry, useEntry, useInterface } from '../api/interface.ts';
import { Link } from '../link.tsx';
import { ReferencePicker } from '../widgets/reference-picker.tsx';
import { bindingsPath } from './design.ts';
import { ObjectBeside } from './object-beside.tsx';

interface Props {
  readonly design: FlowDesign;
  reload(): Promise<void>;
}

const family = '/stages/all/';
const gap = 10;

/** Appends an existing or a new stage. */
export function AddStage({ design, reload }: Props) {
  const { query } = useAddress();
  const done = useToast();
  const kinds = useKinds();
  const kind = kinds.find(({ path }) => path === query.get('add'));

  async function bind(stage: string): Promise<void> {
    const last = Math.max(0, ...design.steps.map(({ order }) => order));
    const order = Math.floor(last / gap) * gap + gap;
    const { pk } = await apiFetch<FlowStageBinding>('POST', bindingsPath, { target: design.pk, stage, order });
    await reload();
    goTo(hereWith({ add: null, step: pk, pane: null, gate: null }));
    done(t('The stage is added at the end.'));
  }
  if (kind) return <NewStage key={kind.path} kind={kind} onMade={bind} />;
  return (
    <div className="stack">
      <h2>{t('Add a stage')}</h2>
      <ExistingStage onChosen={bind} />
      <div className="stack-tight">
        <h3>{t('A new stage')}</h3>
        <ul className="kind-list">
          {kinds.map(({ path, singular, description }) => (
            <li key={path}>
              <Link href={hereWith({ add: path })}>{singular}</Link>
              <p className="quiet small">{description}</p>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function useKinds(): ResourceEntry[] {
  const { resources } = useInterface();
  const paths = useEntry(family)?.kinds ?? [];
  return paths
    .flatMap((path) => resources.find((entry) => entry.path === path) ?? [])
    .toSorted((one, other) => one.singular.localeCompare(other.singular));
}

function ExistingStage({ onChosen }: { onChosen(stage: string): Promise<void> }) {
  const [stage, setStage] = useState<string | null>(null);
  const { isBusy, problem, attempt } = useAttempt();
  function add(event: FormEvent): void {
    event.preventDefault();
    void attempt(async () => {
      if (stage === null) throw new Error(t('Choose a stage first.'));
      await onChosen(stage);
    });
  }
  return (
    <form className="stack-tight" noValidate onSubmit={add}>
      <ReferencePicker label={t('An existing stage')} model="svc_flows.stage" value={stage} onChange={setStage} />
      {problem && <Notice tone="bad">{problem}</Notice>}
      <div className="row">
        <Button type="submit" isBusy={isBusy}>
          {t('Add')}
        </Button>
      </div>
    </form>
  );
}

interface NewProps {
  readonly kind: ResourceEntry;
  onMade(stage: string): Promise<void>;
}

function NewStage({ kind, onMade }: NewProps) {
  const { problem, attempt } = useAttempt();
  return (
    <div className="stack">
      <h2>{t('New: {kind}', { kind: kind.singular })}</h2>
      {problem && <Notice tone="bad">{problem}</Notice>}
      <ObjectBeside
        path={kind.path}
        name={kind.singular}
        submit={t('Create and add')}
        onCancel={() => goTo(hereWith({ add: '' }))}
        onSaved={(row) => attempt(() => onMade(String(row.pk)))}
      />
    </div>
  );
}
