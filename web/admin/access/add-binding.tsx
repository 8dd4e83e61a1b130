import { type FormEvent, useState } from 'react';
import { callAsPerson } from '../../api/call.ts';
import { useDone } from '../../elements/announcing.tsx';
import { Button } from '../../elements/button.tsx';
import { SelectField } from '../../elements/choice.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { t } from '../../texts/texts.ts';
import { ReferencePicker } from '../widgets/reference-picker.tsx';

const kinds = {
  group: {
    label: 'Members of a group',
    field: 'Group',
    missing: 'Choose a group first.',
    model: 'svc_core.group',
  },
  user: { label: 'One person', field: 'Person', missing: 'Choose a person first.', model: 'svc_core.user' },
  policy: {
    label: 'Whom a policy lets pass',
    field: 'Policy',
    missing: 'Choose a policy first.',
    model: 'svc_policies.policy',
  },
} as const;

type Kind = keyof typeof kinds;
const isKind = (text: string): text is Kind => text in kinds;

interface Props {
  readonly target: string;
  readonly order: number;
  /** What is bound decides about events instead of people, so only policies are offered. */
  readonly isForEvents?: boolean;
  onAdded(): Promise<void>;
}

/** Binds a group, a person or a policy. */
export function AddBinding({ target, order, isForEvents = false, onAdded }: Props) {
  const [kind, setKind] = useState<Kind>(isForEvents ? 'policy' : 'group');
  const title = t(isForEvents ? 'Add a policy' : 'Let in');
  const [key, setKey] = useState<string | null>(null);
  const { isBusy, problem, attempt } = useAttempt();
  const done = useDone();
  function add(event: FormEvent): void {
    event.preventDefault();
    void attempt(async () => {
      if (key === null) throw new Error(t(kinds[kind].missing));
      const body = { target, order, [kind]: kind === 'user' ? Number(key) : key };
      await callAsPerson('POST', '/policies/bindings/', body);
      setKey(null);
      await onAdded();
      done(t('The binding is added.'));
    });
  }
  return (
    <form className="card stack" noValidate onSubmit={add} aria-label={title}>
      <h2>{title}</h2>
      <div className="add-binding">
        {!isForEvents && (
          <SelectField
            label={t('Who')}
            value={kind}
            choices={Object.entries(kinds).map(([value, { label }]) => ({ value, label: t(label) }))}
            onChange={({ currentTarget: { value } }) => {
              if (isKind(value)) setKind(value);
              setKey(null);
            }}
          />
        )}
        <ReferencePicker
          key={kind}
          label={t(kinds[kind].field)}
          model={kinds[kind].model}
          value={key}
          onChange={setKey}
        />
      </div>
      {problem && <Notice tone="bad">{problem}</Notice>}
      <div className="row">
        <Button type="submit" isBusy={isBusy}>
          {t('Add')}
        </Button>
      </div>
    </form>
  );
}
