import type { TransactionApplicationResponse } from '../../api/types.ts';
import { known, t } from '../../texts/texts.ts';
import './applications.css';
import { useEffect, useState } from 'react';
import { apiFetch } from '../../api/call.ts';
import { Notice } from '../../elements/notice.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { goTo, hereWith, hrefOf, useAddress } from '../address.ts';
import { useInterface } from '../api/interface.ts';
import { Link } from '../link.tsx';
import { Page } from '../page.tsx';
import { slugOf } from '../slug.ts';
import { Gallery } from './gallery.tsx';
import { logoFile } from './product-logo.tsx';
import { Result } from './result.tsx';
import { bodyFor, type Choices, isPasswordServer, providerPathOf, type Template } from './template.ts';
import { templates } from './templates/all.ts';
import { AccessStep } from './wizard-access.tsx';
import { AddressStep } from './wizard-address.tsx';
import { dropWizardDraft } from './wizard-draft.ts';
import { Steps } from './wizard-steps.tsx';

interface Outcome {
  readonly template: string;
  readonly choices: Choices;
  readonly created: TransactionApplicationResponse;
}

/** Creates an application with its provider. All state but the result, which may hold a secret, is in the address. */
export function Wizard() {
  const { query } = useAddress();
  const { resources, user } = useInterface();
  const [latest, setLatest] = useState<Outcome | null>(null);
  const { isBusy, problem, attempt } = useAttempt();
  const mayAdd = (path: string) => resources.some((entry) => entry.path === path && entry.may.add === 'all');
  const offered = templates.filter((template) => mayAdd(providerPathOf(template)));
  const template = offered.find(({ id }) => id === query.get('template'));
  const slug = query.get('slug') ?? '';
  const isResult = query.get('step') === 'result';
  const isLatest = latest?.template === template?.id && latest?.choices.slug === slug;
  const outcome = isResult && isLatest ? latest : null;
  const isOver = isResult && outcome === null;
  useEffect(() => {
    // The result is shown once; afterwards the application itself is.
    if (isOver) goTo(hrefOf(`/core/applications/${slug}/`, { tab: 'sign-in' }), { replace: true });
  }, [isOver, slug]);
  const crumbs = [{ text: t('Applications'), href: hrefOf('/core/applications/') }];
  if (!mayAdd('/core/applications/') || offered.length === 0)
    return (
      <Page title={t('New application')} crumbs={crumbs}>
        <p>{t('You do not have permission to create applications together with their providers.')}</p>
      </Page>
    );
  if (!template)
    return (
      <Page
        title={t('New application')}
        intro={t('Choose what people will sign in to. You can change everything later.')}
        crumbs={crumbs}
        actions={
          <Link className="button" href={hrefOf('/new/core/applications/')}>
            {t('Application without a provider')}
          </Link>
        }
      >
        <Steps current={0} />
        <Gallery templates={offered} />
      </Page>
    );
  const choices = choicesIn(template, query);
  const isComplete = choices.name !== '' && choices.address !== '' && choices.slug !== '';
  const entered = query.get('step') === 'access' && isComplete ? 2 : 1;
  const step = outcome ? 3 : entered;

  const create = (flow: string | null) =>
    attempt(async () => {
      const body = bodyFor(template, choices, flow);
      const created = await apiFetch<TransactionApplicationResponse>('PUT', '/core/transactional/applications/', body);
      await giveLogo(template, choices.slug);
      dropWizardDraft(user.pk, template.id);
      setLatest({ template: template.id, choices, created });
      goTo(hereWith({ step: 'result' }), { replace: true });
    });

  const title = outcome
    ? t('{name} is created', { name: outcome.choices.name })
    : t('New application: {name}', { name: known(template.name) });
  return (
    <Page
      title={title}
      intro={t(template.about)}
      crumbs={[...crumbs, { text: t('New application'), href: hrefOf('/applications/new/') }]}
    >
      <Steps current={step} />
      {problem && <Notice tone="bad">{problem}</Notice>}
      {step === 1 && <AddressStep key={template.id} template={template} initial={choices} />}
      {step === 2 && (
        <AccessStep
          canAskConsent={!isPasswordServer(template)}
          isBusy={isBusy}
          onCreate={create}
          onBack={() => goTo(hereWith({ step: null }))}
        />
      )}
      {outcome && <Result key={slug} template={template} choices={outcome.choices} created={outcome.created} />}
    </Page>
  );
}

/** Gives a new application the logo of its product. It works without, so nothing is said where that fails. */
async function giveLogo({ id }: Template, slug: string): Promise<void> {
  const file = logoFile(id);
  if (!file) return;
  const form = new FormData();
  form.set('file', file);
  await apiFetch('POST', `/core/applications/${slug}/set_icon/`, form).catch(() => {});
}

function choicesIn({ name, isPublic, category }: Template, query: URLSearchParams): Choices {
  const chosen = query.get('name') ?? (category === '' || isPublic ? '' : name);
  return {
    name: chosen,
    slug: query.get('slug') ?? slugOf(chosen),
    address: query.get('address') ?? '',
    redirect: query.get('redirect') ?? '',
    signedOut: query.get('signed-out') ?? '',
    backchannel: query.get('backchannel') ?? '',
    entity: query.get('entity') ?? '',
    groups: query.get('who') === 'groups' ? query.getAll('group') : [],
  };
}
