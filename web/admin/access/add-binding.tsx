import { type FormEvent, useState } from 'react';
import { apiFetch } from '../../api/call.ts';
import { Button } from '../../elements/button.tsx';
import { SelectField } from '../../elements/choice.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useToast } from '../../elements/toast.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import { useInterface } from '../api/interface.ts';
import { Link } from '../link.tsx';
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
    label: 'Users who pass a policy',
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
  /** The heading, if not that who is added is let in. */
  readonly title?: string | undefined;
  onAdded(): Promise<void>;
}

/** Ways to a policy that selects events, for those who find none to choose. */
function NewPolicies() {
  const { resources } = useInterface();
  const ways = [
    ['/policies/event_matcher/', 'New policy for one kind of event'],
    ['/policies/expression/', 'New policy by an expression'],
  ] as const;
  const open = ways.filter(([path]) => resources.some((entry) => entry.path === path && entry.may.add === 'all'));
  return open.map(([path, title]) => (
    <Link key={path} className="button" href={hrefOf(`/new${path}`)}>
      {t(title)}
    </Link>
  ));
}

/** Binds a group, a person or a policy. */
export function AddBinding({ target, order, isForEvents = false, title, onAdded }: Props) {
  const [kind, setKind] = useState<Kind>(isForEvents ? 'policy' : 'group');
  const heading = title ?? t(isForEvents ? 'Add a policy' : 'Let in');
  const [key, setKey] = useState<string | null>(null);
  const { isBusy, problem, attempt } = useAttempt();
  const done = useToast();
  function add(event: FormEvent): void {
    event.preventDefault();
    void attempt(async () => {
      if (key === null) throw new Error(t(kinds[kind].missing));
      const body = { target, order, [kind]: kind === 'user' ? Number(key) : key };
      await apiFetch('POST', '/policies/bindings/', body);
      setKey(null);
      await onAdded();
      done(t('The binding is added.'));
    });
  }
  return (
    <form className="card stack" noValidate onSubmit={add} aria-label={heading}>
      <h2>{heading}</h2>
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
        {isForEvents && <NewPolicies />}
      </div>
    </form>
  );
}
