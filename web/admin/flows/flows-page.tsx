import type { SignInSwitches } from '../../api/types.ts';
import './flows.css';
import { useAnswer } from '../../elements/loading.tsx';
import { t } from '../../texts/texts.ts';
import { useInterface } from '../api/interface.ts';
import type { Row } from '../api/objects.ts';
import { ListPage } from '../generic/list-page.tsx';
import type { ResourcePage } from '../resource-page.ts';
import { labelOfObject } from '../shipped-labels.ts';
import { ReadyMade } from './ready-made.tsx';

/** The list of flows, below the ready-made ones. */
export const FlowsPage = (props: ResourcePage) =>
  useInterface().user.is_superuser ? <FlowsWithSwitches {...props} /> : <ListPage {...props} />;

const maxShown = 3;

/** For superusers, who alone may see all that a flow is used for. */
function FlowsWithSwitches(props: ResourcePage) {
  const read = useAnswer<SignInSwitches>('/flows/switches/');
  const switches = read.answer.state === 'ready' ? read.answer.value : null;
  const uses = switches?.uses ?? [];
  // Invitations lead to theirs, not an object.
  const isTurnedOn = ({ slug }: Row) => switches?.ready_made.some(({ flow, is_on }) => is_on && flow === slug) === true;
  const usesOf = ({ slug }: Row) => uses.find((one) => one.slug === slug)?.used_by ?? [];
  const extra = { title: t('Used by'), cellOf: (row: Row) => wordsOf(usesOf(row)) };
  return (
    <ListPage
      {...props}
      above={<ReadyMade read={read} />}
      useExtra={() => extra}
      isUsed={(row) => (switches ? usesOf(row).length > 0 || isTurnedOn(row) : null)}
    />
  );
}

function wordsOf(uses: readonly { readonly name: string }[]): string {
  const all = [...new Set(uses.map(({ name }) => labelOfObject({ name, path: '' })))];
  const names = all.slice(0, maxShown).join(t(', '));
  const count = all.length - maxShown;
  return count > 0 ? t('{names} and {count, number} more', { names, count }) : names || '–';
}
