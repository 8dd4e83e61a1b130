import type { KeyboardEvent, PointerEvent } from 'react';
import { Button } from '../../elements/button.tsx';
import { t } from '../../texts/texts.ts';
import { hereWith } from '../address.ts';
import { KindIcon } from '../icons/kind-icon.tsx';
import { Link } from '../link.tsx';
import { shippedLabel } from '../shipped-labels.ts';
import { type DesignStep, type Finding, type Gate, typeOf } from './design.ts';
import { Findings } from './findings.tsx';
import { GateWords, modeWords } from './gate-words.tsx';

export interface CardMoves {
  /** Moves the card by so many places. */
  by(step: DesignStep, places: number): void;
  grab(step: DesignStep, event: PointerEvent<HTMLElement>): void;
}

interface Props {
  readonly step: DesignStep;
  readonly place: number;
  readonly count: number;
  readonly findings: readonly Finding[];
  readonly isOpen: boolean;
  readonly isDragged: boolean;
  /** Absent where the caller may not change the flow. */
  readonly moves: CardMoves | null;
}

/** One stage of the flow: gates, name, findings and buttons to move it. */
export function StepCard({ step, place, count, findings, isOpen, isDragged, moves }: Props) {
  const name = step.name ?? t('hidden');
  const label = shippedLabel(name);
  return (
    <li className="flow-step" data-step={step.pk} data-open={isOpen || undefined} data-dragged={isDragged || undefined}>
      <GateStrip gates={step.gates} mode={step.policy_engine_mode} />
      <div className="card flow-card">
        <div className="flow-card-head">
          {moves && <Handle {...{ step, name, place, count, moves }} />}
          {step.path && <KindIcon path={step.path} />}
          <div className="flow-card-text">
            <h3>
              <Link
                href={hereWith({ step: step.pk, pane: null, gate: null, add: null })}
                aria-current={isOpen || undefined}
              >
                <bdi>{label ?? name}</bdi>
              </Link>
            </h3>
            <p className="quiet small">{[typeOf(step), ...(label ? [name] : [])].join(' · ')}</p>
          </div>
          {moves && (
            <div className="flow-moves">
              <MoveButton {...{ name, moves, step }} places={-1} isPossible={place > 1} />
              <MoveButton {...{ name, moves, step }} places={1} isPossible={place < count} />
            </div>
          )}
        </div>
        <Findings findings={findings} label={t('Findings about {name}', { name })} />
      </div>
    </li>
  );
}

interface HandleProps extends Pick<Props, 'step' | 'place' | 'count'> {
  readonly name: string;
  readonly moves: CardMoves;
}

/** Dragged with a pointer, moved with the arrow keys. */
function Handle({ step, name, place, count, moves }: HandleProps) {
  function press(event: KeyboardEvent): void {
    const places = { ArrowUp: -1, ArrowDown: 1, Home: 1 - place, End: count - place }[event.key];
    if (places === undefined) return;
    event.preventDefault();
    if (place + places >= 1 && place + places <= count && places !== 0) moves.by(step, places);
  }
  return (
    <button
      type="button"
      className="flow-handle"
      data-focus={`handle ${step.pk}`}
      aria-label={t('Move {name}: place {place} of {count}. Use the arrow keys.', { name, place, count })}
      onKeyDown={press}
      onPointerDown={(event) => moves.grab(step, event)}
    >
      <span aria-hidden="true">{place}</span>
      <svg viewBox="0 0 10 16" width="10" height="16" aria-hidden="true">
        {[2, 8, 14].flatMap((y) => [2, 8].map((x) => <circle key={`${x} ${y}`} cx={x} cy={y} r="1.5" />))}
      </svg>
    </button>
  );
}

interface MoveProps extends Pick<HandleProps, 'step' | 'name' | 'moves'> {
  readonly places: 1 | -1;
  readonly isPossible: boolean;
}

function MoveButton({ step, name, moves, places, isPossible }: MoveProps) {
  const label = places < 0 ? t('Move {name} up', { name }) : t('Move {name} down', { name });
  return (
    <Button
      look="quiet"
      aria-label={label}
      data-focus={`${places} ${step.pk}`}
      aria-disabled={!isPossible || undefined}
      onClick={() => isPossible && moves.by(step, places)}
    >
      {places < 0 ? '↑' : '↓'}
    </Button>
  );
}

/** Gates stand before what they guard. */
export function GateStrip({ gates, mode }: { gates: readonly Gate[]; mode: 'all' | 'any' }) {
  if (gates.length === 0) return null;
  return (
    <ul className="flow-gates" aria-label={modeWords(mode)}>
      {gates.map((gate) => (
        <li key={gate.pk} data-off={!gate.enabled || undefined}>
          <GateWords gate={gate} />
          {!gate.enabled && <span className="quiet"> ({t('off')})</span>}
        </li>
      ))}
    </ul>
  );
}
