import { use, useCallback, useMemo } from 'react';
import { Loaded, useLoadable } from '../../elements/loading.tsx';
import { useToast } from '../../elements/toast.tsx';
import { t } from '../../texts/texts.ts';
import { goTo, hrefOf, useAddress } from '../address.ts';
import type { Description } from '../api/description.ts';
import type { Member } from '../api/document.ts';
import { useInterface } from '../api/interface.ts';
import { ownName } from '../api/object.ts';
import type { Row } from '../api/objects.ts';
import { PagesContext } from '../api/pages.ts';
import { useDescription } from '../api/use-description.ts';
import { inSentence } from '../labels.ts';
import { Page } from '../page.tsx';
import type { ResourcePage } from '../resource-page.ts';
import { initialValues } from './body.ts';
import { KindChoice } from './kind-choice.tsx';
import { ObjectForm } from './object-form.tsx';
import { readProposals } from './proposals.ts';
import { useCrumbs } from './use-crumbs.ts';

/** The form of a new object; for a family, a choice of kinds first. */
export function NewPage({ entry, SidePanel, firstDialog }: ResourcePage) {
  const description = useDescription(entry.path);
  const crumbs = useCrumbs(entry, true);
  return (
    <Page title={t('New {kind}', { kind: inSentence(entry.singular) })} intro={entry.description} crumbs={crumbs}>
      {entry.kinds.length > 0 ? (
        <KindChoice entry={entry} />
      ) : (
        <Loaded {...description}>
          {(known) => <Prepared {...{ entry, SidePanel, firstDialog }} description={known} />}
        </Loaded>
      )}
    </Page>
  );
}

type FormProps = Pick<ResourcePage, 'entry' | 'SidePanel' | 'firstDialog'> & { readonly description: Description };

/** The form with what its fields propose. */
function Prepared(props: FormProps) {
  const { creating } = props.description;
  const pages = use(PagesContext);
  const proposals = useLoadable(useCallback(() => readProposals(creating ?? [], pages), [creating, pages]));
  return <Loaded {...proposals}>{(proposed) => <NewForm {...props} proposed={proposed} />}</Loaded>;
}

/** What only superusers turn on, the server leaves off for others. */
const offForOthers = (members: readonly Member[]): Row =>
  Object.fromEntries(
    members
      .filter(({ note, schema }) => note.limits?.only === 'superusers' && schema.type === 'boolean')
      .map(({ name }) => [name, false]),
  );

type PreparedProps = FormProps & { readonly proposed: Row };

function NewForm({ entry, SidePanel, firstDialog, description, proposed }: PreparedProps) {
  const done = useToast();
  const { query } = useAddress();
  const { creating } = description;
  const { user } = useInterface();
  const initial = useMemo(
    () => ({ ...initialValues(creating ?? [], null), ...(user.is_superuser ? {} : offForOthers(creating ?? [])) }),
    [creating, user],
  );
  // The address prefills the form: `?target=…`.
  const given = useMemo(() => {
    const named = (creating ?? []).filter(({ name }) => query.has(name));
    const prefilled = ({ name, schema }: Member) =>
      [schema.type].flat().includes('integer') ? Number(query.get(name)) : query.get(name);
    return Object.fromEntries(named.map((member) => [member.name, prefilled(member)]));
  }, [creating, query]);
  const beginning = useMemo(() => ({ ...initial, ...proposed, ...given }), [initial, proposed, given]);
  if (!creating || entry.may.add === 'none') return <p>{t('You do not have permission to create one.')}</p>;
  return (
    <ObjectForm
      members={creating}
      initial={beginning}
      method="POST"
      path={entry.path}
      what={t('a new {kind}', { kind: inSentence(entry.singular) })}
      submit={t('Create')}
      SidePanel={SidePanel}
      onCancel={() => goTo(hrefOf(entry.family ?? entry.path))}
      onSaved={(row) => {
        const path = `${entry.path}${encodeURIComponent(String(row[description.key]))}/`;
        goTo(hrefOf(path, { dialog: firstDialog }));
        done(t('{name} is created.', { name: ownName(description, row) ?? entry.singular }));
      }}
    />
  );
}
