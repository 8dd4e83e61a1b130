import { type FormEvent, useState } from 'react';
import { callAsPerson, wordsOf } from '../../api/call.ts';
import { useDone } from '../../elements/announcing.tsx';
import { Button } from '../../elements/button.tsx';
import { SelectField } from '../../elements/choice.tsx';
import { Notice } from '../../elements/notice.tsx';
import { ReferencePicker } from '../widgets/reference-picker.tsx';

const kinds = {
  group: { label: 'Members of a group', model: 'svc_core.group', field: 'Group' },
  user: { label: 'One person', model: 'svc_core.user', field: 'Person' },
  policy: { label: 'Whom a policy lets pass', model: 'svc_policies.policy', field: 'Policy' },
} as const;

type Kind = keyof typeof kinds;
const isKind = (text: string): text is Kind => text in kinds;

interface Props {
  readonly target: string;
  readonly order: number;
  onAdded(): Promise<void>;
}

/** Lets a group, a person or whom a policy lets pass in. */
export function AddBinding({ target, order, onAdded }: Props) {
  const [kind, setKind] = useState<Kind>('group');
  const [key, setKey] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const done = useDone();
  async function add(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isBusy) return;
    if (key === null) return setProblem(`Choose ${kinds[kind].field === 'Person' ? 'a person' : `a ${kind}`} first.`);
    setBusy(true);
    setProblem(null);
    try {
      const body = { target, order, [kind]: kind === 'user' ? Number(key) : key };
      await callAsPerson('POST', '/policies/bindings/', body);
      setKey(null);
      await onAdded();
      done('The binding is added.');
    } catch (caught) {
      setProblem(wordsOf(caught));
    }
    setBusy(false);
  }
  return (
    <form className="card stack" noValidate onSubmit={add} aria-label="Let in">
      <h2>Let in</h2>
      <div className="add-binding">
        <SelectField
          label="Who"
          value={kind}
          choices={Object.entries(kinds).map(([value, { label }]) => ({ value, label }))}
          onChange={({ currentTarget: { value } }) => {
            if (isKind(value)) setKind(value);
            setKey(null);
          }}
        />
        <ReferencePicker key={kind} label={kinds[kind].field} model={kinds[kind].model} value={key} onChange={setKey} />
      </div>
      {problem && <Notice tone="bad">{problem}</Notice>}
      <div className="row">
        <Button type="submit" isBusy={isBusy}>
          Add
        </Button>
      </div>
    </form>
  );
}
