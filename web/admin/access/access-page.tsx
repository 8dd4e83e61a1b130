import type { AdminInterface } from '../../api/types.ts';
import { type Text, t } from '../../texts/texts.ts';
import './access.css';
import { SelectField } from '../../elements/choice.tsx';
import { TextField } from '../../elements/field.tsx';
import { goTo, hereWith, useAddress } from '../address.ts';
import { useInterface } from '../api/interface.ts';
import { Page } from '../page.tsx';
import { ReferencePicker } from '../widgets/reference-picker.tsx';
import { Explanation } from './explanation.tsx';
import { RightAnswer } from './right-answer.tsx';

interface Subject {
  readonly value: string;
  readonly label: Text;
  readonly field: Text;
  readonly model: string | null;
  readonly path: string;
}

const subjects: readonly Subject[] = [
  {
    ...{ value: 'application', label: 'An application', field: 'Application' },
    ...{ model: 'svc_core.application', path: '/core/applications/' },
  },
  { value: 'flow', label: 'A flow', field: 'Flow', model: 'svc_flows.flow', path: '/flows/instances/' },
  { value: 'source', label: 'A source', field: 'Source', model: 'svc_core.source', path: '/sources/all/' },
  { value: 'permission', label: 'A permission', field: 'Permission', model: null, path: '/rbac/roles/' },
];

/** What this caller can ask about. */
const subjectsFor = ({ resources }: AdminInterface) =>
  subjects.filter(
    ({ path, model }) =>
      resources.some((entry) => entry.path === path) &&
      (model === null || resources.some((entry) => entry.path === '/policies/bindings/')),
  );

/** Checks whether a user may do something, and why. The address holds the whole query. */
export function AccessPage() {
  const { query } = useAddress();
  const offered = subjectsFor(useInterface());
  const subject = offered.find(({ value }) => value === query.get('what')) ?? offered[0];
  const [person, target] = [query.get('person'), query.get('target')];
  const permission = query.get('permission') ?? '';
  return (
    <Page title={t('Access')} intro={t('Check who can open an application, and why. Nothing is recorded.')}>
      {!subject ? (
        <p>{t('You need permission to view policy bindings, and to view what you ask about.')}</p>
      ) : (
        <>
          <search className="card access-question">
            <ReferencePicker
              label={t('Person')}
              model="svc_core.user"
              value={person}
              onChange={(key) => goTo(hereWith({ person: key }))}
            />
            <SelectField
              label={t('May use')}
              value={subject.value}
              choices={offered.map(({ value, label }) => ({ value, label: t(label) }))}
              onChange={({ currentTarget }) =>
                goTo(hereWith({ what: currentTarget.value, target: null, permission: null }))
              }
            />
            {subject.model === null ? (
              <TextField
                label={t(subject.field)}
                hint={t('Such as {example}.', { example: 'svc_core.view_user' })}
                value={permission}
                spellCheck={false}
                autoCapitalize="none"
                onChange={({ currentTarget }) =>
                  goTo(hereWith({ permission: currentTarget.value || null }), { replace: true })
                }
              />
            ) : (
              <ReferencePicker
                key={subject.value}
                label={t(subject.field)}
                model={subject.model}
                value={target}
                onChange={(key) => goTo(hereWith({ target: key }))}
              />
            )}
          </search>
          {person && subject.model === null && /^\w+\.\w+$/.test(permission) && (
            <RightAnswer person={person} permission={permission} />
          )}
          {person && target && subject.model !== null && <Explanation person={person} target={target} />}
        </>
      )}
    </Page>
  );
}
