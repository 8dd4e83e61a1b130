import { apiFetch } from '../../api/call.ts';
import { ConfirmButton } from '../../elements/confirm-button.tsx';
import { useToast } from '../../elements/toast.tsx';
import { t } from '../../texts/texts.ts';
import { AddBinding } from '../access/add-binding.tsx';
import { goTo, hereWith, hrefOf, useAddress } from '../address.ts';
import type { Member } from '../api/document.ts';
import { useEntry } from '../api/interface.ts';
import { Link } from '../link.tsx';
import { type Gate, gatesPath, typeOf } from './design.ts';
import { GateWords, modeWords, nameOfGate } from './gate-words.tsx';
import { ObjectBeside } from './object-beside.tsx';

interface Props {
  readonly target: string;
  readonly gates: readonly Gate[];
  readonly mode: 'all' | 'any';
  /** Shown when there are none. */
  readonly open: string;
  readonly title?: string;
  readonly canChange: boolean;
  reload(): Promise<void>;
}

const isShown = ({ name }: Member): boolean => name !== 'target';

/** The policies, groups and people that decide about a flow or a stage. */
export function GatesPane({ target, gates, mode, open, title, canChange, reload }: Props) {
  const { query } = useAddress();
  const done = useToast();
  const may = useEntry(gatesPath)?.may;
  const edited = gates.find(({ pk }) => pk === query.get('gate'));
  if (edited && canChange)
    return (
      <>
        <h3>
          <GateWords gate={edited} />
        </h3>
        <ObjectBeside
          key={edited.pk}
          path={gatesPath}
          objectKey={edited.pk}
          name={nameOfGate(edited)}
          submit={t('Save')}
          isShown={isShown}
          onCancel={() => goTo(hereWith({ gate: null }))}
          onSaved={async () => {
            goTo(hereWith({ gate: null }));
            await reload();
            done(t('The gate is saved.'));
          }}
        />
      </>
    );
  return (
    <>
      <p>{gates.some(({ enabled }) => enabled) ? modeWords(mode) : open}</p>
      {gates.length > 0 && (
        <ul className="rows" aria-label={t('Gates')}>
          {gates.map((gate) => (
            <li key={gate.pk} className="rows-row">
              <div className="rows-text">
                <p>
                  <GateWords gate={gate} />
                </p>
                <p className="quiet small">
                  {typeOf(gate)}
                  {!gate.enabled && ` · ${t('off')}`}
                </p>
              </div>
              <div className="row">
                {gate.path && (
                  <Link className="button button-quiet" href={hrefOf(gate.path)}>
                    {t('Open')}
                    <span className="visually-hidden"> {nameOfGate(gate)}</span>
                  </Link>
                )}
                {canChange && (
                  <Link className="button button-quiet" href={hereWith({ gate: gate.pk })}>
                    {t('Change')}
                    <span className="visually-hidden"> {nameOfGate(gate)}</span>
                  </Link>
                )}
                {canChange && (
                  <ConfirmButton
                    about={nameOfGate(gate)}
                    question={t('Remove the gate {name}?', { name: nameOfGate(gate) })}
                    consequence={<p>{t('The bound object stays, but no longer applies here.')}</p>}
                    confirm={t('Remove')}
                    onConfirm={async () => {
                      await apiFetch('DELETE', `${gatesPath}${gate.pk}/`);
                      await reload();
                      done(t('The gate is removed.'));
                    }}
                  >
                    {t('Remove')}
                  </ConfirmButton>
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
      {canChange && may?.add === 'all' && (
        <>
          <AddBinding
            target={target}
            order={Math.max(-1, ...gates.map(({ order }) => order)) + 1}
            title={title}
            onAdded={reload}
          />
          <p className="small">
            <Link href={hrefOf('/new/policies/all/')}>{t('Create a policy')}</Link>
          </p>
        </>
      )}
    </>
  );
}
