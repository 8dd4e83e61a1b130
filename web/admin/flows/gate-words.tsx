import { Rich } from '../../texts/rich.tsx';
import { type Text, t } from '../../texts/texts.ts';
import { shippedLabel } from '../shipped-labels.ts';
import type { Gate } from './design.ts';

/** Who or what passes a gate, in words. */
export function GateWords({ gate }: { gate: Gate }) {
  const { group, user, negate } = gate;
  const name = <bdi>{nameOfGate(gate)}</bdi>;
  if (group !== null)
    return <Rich text={negate ? 'Everybody but members of {name}' : 'Members of {name}'} values={{ name }} />;
  if (user !== null) return <Rich text={negate ? 'Everybody but {name}' : 'Only {name}'} values={{ name }} />;
  if (gate.name === '') return t(lostWords(negate));
  return (
    <Rich
      text={negate ? 'Everybody whom the policy {name} turns away' : 'Everybody whom the policy {name} lets pass'}
      values={{ name }}
    />
  );
}

/** Of a binding whose group, user or policy is deleted. */
export const lostWords = (negate: boolean): Text =>
  negate ? 'Everybody: the excluded user or group was deleted' : 'Nobody: the bound object was deleted';

export const nameOfGate = ({ name }: Gate): string => (name === null ? t('hidden') : (shippedLabel(name) ?? name));

/** How several gates decide together. */
export const modeWords = (mode: 'all' | 'any'): string =>
  mode === 'all' ? t('All of these have to pass.') : t('One of these has to pass.');
