import { useState } from 'react';
import { apiFetch } from '../../api/call.ts';
import { Button } from '../../elements/button.tsx';
import { useToast } from '../../elements/toast.tsx';
import { t } from '../../texts/texts.ts';
import { goTo, hereWith } from '../address.ts';
import { TypedText } from '../generic/typed-text.tsx';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { useDialog } from '../use-dialog.ts';
import { bindingsPath, type DesignStep } from './design.ts';

interface Props {
  readonly step: DesignStep;
  readonly name: string;
  /** Whether people sign in by the flow. */
  readonly isSignIn: boolean;
  reload(): Promise<void>;
}

/** Takes a stage out of a flow. */
export function RemoveStep({ step, name, isSignIn, reload }: Props) {
  const { open } = useDialog('remove-step');
  const [typed, setTyped] = useState('');
  const done = useToast();
  return (
    <>
      <Button onClick={open}>{t('Remove from the flow')}</Button>
      <ActionDialog
        name="remove-step"
        look="danger"
        title={t('Remove {name} from the flow?', { name })}
        confirm={t('Remove')}
        act={async () => {
          if (isSignIn && typed.trim() !== name) throw new Error(t('Type “{text}” first.', { text: name }));
          await apiFetch('DELETE', `${bindingsPath}${step.pk}/`);
          goTo(hereWith({ step: null, pane: null, gate: null, dialog: null }), { replace: true });
          await reload();
          done(t('{name} is no longer part of the flow.', { name }));
        }}
      >
        <p>{t('Its gates go with it. The stage itself stays, and other flows that use it.')}</p>
        {isSignIn && <TypedText text={name} typed={typed} onType={setTyped} />}
      </ActionDialog>
    </>
  );
}
