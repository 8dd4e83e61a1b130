import { useToast } from '../../elements/toast.tsx';
import { t } from '../../texts/texts.ts';
import { hereWith, hrefOf, useAddress } from '../address.ts';
import type { Member } from '../api/document.ts';
import { Link } from '../link.tsx';
import { afterWrongAnswer, bindingsPath, type DesignStep, typeOf } from './design.ts';
import { GatesPane } from './gates-pane.tsx';
import { ObjectBeside } from './object-beside.tsx';
import { RemoveStep } from './remove-step.tsx';

interface Props {
  readonly step: DesignStep;
  readonly canChange: boolean;
  /** Whether people sign in by the flow. */
  readonly isSignIn: boolean;
  reload(): Promise<void>;
}

/** The selected stage: its form, its gates and its binding to the flow. */
export function StepPane({ step, canChange, isSignIn, reload }: Props) {
  const { query } = useAddress();
  const parts = [
    { name: 'stage', title: t('Stage') },
    { name: 'gates', title: t('Gates') },
    { name: 'place', title: t('In this flow') },
  ];
  const part = parts.find(({ name }) => name === query.get('pane'))?.name ?? 'stage';
  const name = step.name ?? t('hidden');
  return (
    <div className="stack">
      <div>
        <h2>
          <bdi>{name}</bdi>
        </h2>
        <p className="quiet small">{typeOf(step)}</p>
      </div>
      <nav className="tabs" aria-label={t('Parts of {name}', { name })}>
        <ul>
          {parts.map((one) => (
            <li key={one.name}>
              <Link
                href={hereWith({ pane: one.name === 'stage' ? null : one.name, gate: null })}
                aria-current={one.name === part ? 'true' : undefined}
              >
                {one.title}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {part === 'stage' && <StagePart {...{ step, canChange, isSignIn, reload, name }} />}
      {part === 'gates' && (
        <GatesPane
          target={step.target}
          gates={step.gates}
          mode={step.policy_engine_mode}
          open={t('Everybody reaches this stage.')}
          title={t('Who goes through this step')}
          {...{ canChange, reload }}
        />
      )}
      {part === 'place' && <PlacePart {...{ step, canChange, isSignIn, reload, name }} />}
    </div>
  );
}

type PartProps = Props & { readonly name: string };

function StagePart({ step, canChange, reload, name }: PartProps) {
  const done = useToast();
  const [, path = '', key = ''] = /^(.*\/)([^/]+)\/$/.exec(step.path ?? '') ?? [];
  if (step.path === null) return <p className="quiet">{t('You do not have permission to view this.')}</p>;
  if (!canChange)
    return (
      <p>
        <Link href={hrefOf(step.path)}>{t('Open the page of the stage')}</Link>
      </p>
    );
  return (
    <ObjectBeside
      key={step.pk}
      path={path}
      objectKey={key}
      name={name}
      submit={t('Save the stage')}
      onSaved={async () => {
        await reload();
        done(t('{name} is saved.', { name }));
      }}
    />
  );
}

/** Without the members that the designer sets itself. */
const isShown = ({ name }: Member): boolean => !/^(target|stage|order)$/.test(name);

function PlacePart({ step, canChange, isSignIn, reload, name }: PartProps) {
  const done = useToast();
  if (!canChange) return <PlaceFacts step={step} />;
  return (
    <>
      <ObjectBeside
        key={step.pk}
        path={bindingsPath}
        objectKey={step.pk}
        name={name}
        submit={t('Save')}
        isShown={isShown}
        onSaved={async () => {
          await reload();
          done(t('{name} is saved.', { name }));
        }}
      />
      <div className="row">
        <RemoveStep {...{ step, isSignIn, reload, name }} />
      </div>
    </>
  );
}

function PlaceFacts({ step }: { step: DesignStep }) {
  const yes = (flag: boolean) => (flag ? t('Yes') : t('No'));
  return (
    <dl className="facts">
      <div>
        <dt>{t('Gates are evaluated when the flow begins')}</dt>
        <dd>{yes(step.evaluate_on_plan)}</dd>
      </div>
      <div>
        <dt>{t('Gates are evaluated at this step')}</dt>
        <dd>{yes(step.re_evaluate_policies)}</dd>
      </div>
      <div>
        <dt>{t('After a wrong answer')}</dt>
        <dd>{afterWrongAnswer(step)}</dd>
      </div>
    </dl>
  );
}
