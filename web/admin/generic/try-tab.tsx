import { type FormEvent, useState } from 'react';
import { apiFetch } from '../../api/call.ts';
import type { PolicyTestResult, PropertyMappingTestResult } from '../../api/types.ts';
import { Button } from '../../elements/button.tsx';
import { Code } from '../../elements/code.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { t } from '../../texts/texts.ts';
import { goTo, hereWith, useAddress } from '../address.ts';
import { ReferencePicker } from '../widgets/reference-picker.tsx';

type Outcome = Partial<PolicyTestResult & PropertyMappingTestResult>;

/** Runs a policy or a mapping on a chosen person, without side effects. */
export function TryTab({ family, objectKey }: { family: string; objectKey: string }) {
  const { query } = useAddress();
  const person = query.get('person');
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const { isBusy, problem, attempt } = useAttempt();
  function run(event: FormEvent): void {
    event.preventDefault();
    void attempt(async () => {
      setOutcome(null);
      if (person === null) throw new Error(t('Choose a person first.'));
      const path = `${family}${encodeURIComponent(objectKey)}/test/?format_result=true`;
      setOutcome(await apiFetch<Outcome>('POST', path, { user: Number(person), group: null }));
    });
  }
  return (
    <section className="card stack" aria-label={t('Try')}>
      <form className="stack" noValidate onSubmit={run}>
        <p className="quiet">{t('Runs what is saved, without side effects.')}</p>
        <ReferencePicker
          label={t('Person')}
          model="svc_core.user"
          value={person}
          onChange={(key) => goTo(hereWith({ person: key }), { replace: true })}
        />
        <div className="row">
          <Button type="submit" look="primary" isBusy={isBusy}>
            {t('Run')}
          </Button>
        </div>
      </form>
      {problem && <Notice tone="bad">{problem}</Notice>}
      {outcome?.passing !== undefined && (
        <Notice tone={outcome.passing ? 'good' : 'bad'}>
          {t(outcome.passing ? 'It passes.' : 'It does not pass.')}
        </Notice>
      )}
      {outcome?.messages?.map((text) => (
        <p key={text}>{t('Message: “{text}”', { text })}</p>
      ))}
      {outcome?.log_messages && outcome.log_messages.length > 0 && (
        <Code text={outcome.log_messages.map(({ event }) => event).join('\n')} />
      )}
      {outcome?.successful === false && <Notice tone="bad">{outcome.result}</Notice>}
      {outcome?.successful && <Code text={outcome.result ?? ''} />}
    </section>
  );
}
