import { type FormEvent, type ReactNode, useCallback, useMemo, useState } from 'react';
import { apiFetch } from '../../api/call.ts';
import type { OAuthSource, PaginatedSourceList } from '../../api/types.ts';
import { Button } from '../../elements/button.tsx';
import { CheckboxField, RadioGroup } from '../../elements/choice.tsx';
import { PasswordField, TextAreaField, TextField } from '../../elements/field.tsx';
import { useAnswer, useLoadable } from '../../elements/loading.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { Rich } from '../../texts/rich.tsx';
import { type Text, t } from '../../texts/texts.ts';
import { goTo, hrefOf } from '../address.ts';
import { useEntry } from '../api/interface.ts';
import { Restored } from '../generic/restored.tsx';
import { useDraft } from '../generic/use-draft.ts';
import { inSentence } from '../labels.ts';
import { CopyRows } from '../parts/copy-rows.tsx';
import { slugOf } from '../slug.ts';
import { createSource, type Newcomers } from './create-source.ts';
import type { Service } from './services.ts';

const domainsIn = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s,;]+/)
    .map((domain) => domain.replace(/^@/, ''))
    .filter(Boolean);

const isDomain = (text: string): boolean => /^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+$/u.test(text);

const newcomerLabels: Readonly<Record<Newcomers, Text>> = {
  nobody: 'Nobody new: people connect it to their account',
  invited: 'Invited people: those with an account here under the same email address',
  everyone: 'Everyone who signs in there',
  domains: 'Addresses at these domains',
};

const newcomerChoices: readonly Newcomers[] = ['nobody', 'invited', 'everyone', 'domains'];

const endpoints: readonly (readonly [member: string, label: Text, hint?: Text])[] = [
  ['authorization_url', 'Authorization URL'],
  ['access_token_url', 'Token URL'],
  ['profile_url', 'User info URL', 'Its response must contain the identifier of the user as “sub” or “id”.'],
];

/** The slug, or with a number what no source has yet; null while that is not known. */
function useFreeSlug(wanted: string): string | null {
  const { answer } = useAnswer<PaginatedSourceList>('/sources/all/?page_size=100');
  if (answer.state !== 'ready') return null;
  const taken = new Set(answer.value.results.map(({ slug }) => slug));
  for (let at = 1; ; at++) {
    const slug = at === 1 ? wanted : `${wanted}-${at}`;
    if (!taken.has(slug)) return slug;
  }
}

interface Registration {
  readonly redirect?: string;
  /** Only where the service may be asked to sign people out. */
  readonly signedOut?: string;
}

/** As the server has them: its public address may be another than that of this page. */
function useRegistration({ wellKnown, hasEndpoints }: Service, type: string, slug: string | null): Registration {
  const hasDiscovery = wellKnown !== undefined;
  const ask = useCallback(async () => {
    const draft = {
      ...{ name: slug, slug, provider_type: type, consumer_key: 'x', consumer_secret: 'x' },
      ...(hasDiscovery && { oidc_well_known_url: 'https://id.example.com/.well-known/openid-configuration' }),
      ...(hasEndpoints && Object.fromEntries(endpoints.map(([member]) => [member, 'https://id.example.com/']))),
    };
    if (slug === null) return null;
    const made = await apiFetch<OAuthSource>('POST', '/sources/oauth/?dry_run=true', draft);
    return { slug, redirect: made.callback_url, ...(hasDiscovery && { signedOut: made.logout_url }) };
  }, [slug, type, hasDiscovery, hasEndpoints]);
  const { answer } = useLoadable(ask);
  return answer.state === 'ready' && answer.value?.slug === slug ? answer.value : {};
}

const labels: readonly (readonly [name: string, label: Text, hint?: Text])[] = [
  ['name', 'Name on the sign-in page'],
  ...endpoints,
  ['client', 'Client ID'],
  ['secret', 'Client secret'],
  ['scopes', 'Scopes'],
  ['newcomers', 'Who gets an account?'],
  ['domains', 'Domains'],
  ['offered', 'Show it on the sign-in page'],
];

/** What is entered, kept as in other forms. */
function useEntered({ id, name, asks }: Service, isNamed: boolean) {
  const kind = inSentence(useEntry('/sources/oauth/')?.singular ?? name);
  const members = useMemo(() => {
    const all = asks ? [...labels, ['answer', asks.label] as const] : labels;
    const kindOf = (member: string) => (member === 'secret' ? 'secret' : 'text');
    return all.map(([member, label]) => ({ name: member, note: { kind: kindOf(member), label: t(label) } }));
  }, [asks]);
  const initial = useMemo(() => {
    const empty = Object.fromEntries(members.map((member) => [member.name, '']));
    return { ...empty, name: isNamed ? '' : name, newcomers: 'nobody', offered: true };
  }, [members, isNamed, name]);
  const draft = useDraft({
    form: `POST /sources/oauth/ ${id}`,
    what: t('a new {kind}', { kind }),
    members,
    initial,
    isNew: true,
  });
  return {
    draft,
    textOf: (member: string) => String(draft.values[member]).trim(),
    /** What a field needs to show a member and to change it. */
    fieldOf: (member: string) => ({
      name: member,
      value: String(draft.values[member]),
      onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
        draft.set(member, currentTarget.value),
    }),
  };
}

/** What a source of this service needs, and nothing else. */
export function SourceForm({ service, type }: { service: Service; type: string }) {
  const { asks, hasEndpoints, console: where } = service;
  const isNamed = asks?.isName === true || hasEndpoints === true;
  const { draft, textOf, fieldOf } = useEntered(service, isNamed);
  const name = textOf('name');
  const newcomers = newcomerChoices.find((one) => one === draft.values.newcomers) ?? 'nobody';
  const [wrongDomains, setWrongDomains] = useState<string[]>([]);
  const { isBusy, problem, attempt } = useAttempt();
  const slug = useFreeSlug(slugOf(name) || service.id);
  const own = useRegistration(service, type, slug);

  function submit(event: FormEvent): void {
    event.preventDefault();
    const domains = domainsIn(textOf('domains'));
    const wrong = domains.filter((domain) => !isDomain(domain));
    const isMissing = newcomers === 'domains' && domains.length === 0;
    setWrongDomains([
      ...(isMissing ? [t('Enter a domain.')] : []),
      ...wrong.map((text) => t('This is not a domain: {text}', { text })),
    ]);
    if (isMissing || wrong.length > 0 || isBusy || slug === null) return;
    const wellKnown = service.wellKnown?.(textOf('answer'));
    void attempt(async () => {
      const made = await createSource({
        values: {
          ...{ name, slug, provider_type: type },
          ...{ consumer_key: textOf('client'), consumer_secret: textOf('secret') },
          ...(wellKnown !== undefined && { oidc_well_known_url: wellKnown }),
          ...(hasEndpoints && {
            ...Object.fromEntries(endpoints.map(([member]) => [member, textOf(member)])),
            additional_scopes: textOf('scopes'),
          }),
        },
        ...{ newcomers, domains, isOffered: draft.values.offered === true },
      });
      draft.finish(draft.values, draft.values);
      goTo(hrefOf(`/sources/oauth/${made.slug}/`), { replace: true });
    });
  }

  const link = (text: ReactNode) => (
    <a href={where} target="_blank" rel="noreferrer">
      {text}
    </a>
  );
  return (
    <form className="card stack source-form" onSubmit={submit}>
      {draft.isRestored && <Restored onDiscard={draft.discard} />}
      {problem && <Notice tone="bad">{problem}</Notice>}
      {isNamed && <TextField label={t('Name on the sign-in page')} {...fieldOf('name')} required />}
      <div className="stack-tight">
        <p>
          {where ? (
            <Rich
              text="Register this redirect URI in the <link>console of {name}</link>."
              values={{ link, name: service.name }}
            />
          ) : (
            t('Register this redirect URI at the service.')
          )}
        </p>
        <CopyRows
          rows={[
            { label: t('Redirect URI'), text: own.redirect },
            { label: t('Post-logout redirect URI'), text: own.signedOut },
          ]}
        />
      </div>
      {asks && (
        <TextField label={t(asks.label)} hint={t(asks.hint)} {...fieldOf('answer')} required spellCheck={false} />
      )}
      {hasEndpoints &&
        endpoints.map(([member, label, hint]) => (
          <TextField
            key={member}
            label={t(label)}
            {...(hint && { hint: t(hint) })}
            {...fieldOf(member)}
            type="url"
            required
            spellCheck={false}
          />
        ))}
      <TextField label={t('Client ID')} {...fieldOf('client')} required autoComplete="off" spellCheck={false} />
      {type === 'apple' ? (
        <TextAreaField label={t('Private key (PEM)')} {...fieldOf('secret')} required spellCheck={false} />
      ) : (
        <PasswordField label={t('Client secret')} {...fieldOf('secret')} required autoComplete="off" />
      )}
      {hasEndpoints && (
        <TextField
          label={t('Scopes')}
          hint={t('Separated by spaces, as the service names them.')}
          {...fieldOf('scopes')}
          spellCheck={false}
        />
      )}
      <RadioGroup
        label={t('Who gets an account?')}
        name="newcomers"
        value={newcomers}
        onChange={(value) => draft.set('newcomers', value)}
        choices={newcomerChoices.map((value) => ({ value, label: t(newcomerLabels[value]) }))}
      />
      {newcomers === 'domains' && (
        <TextField
          label={t('Domains')}
          hint={t('Such as example.com. Only addresses that the service has verified count.')}
          {...fieldOf('domains')}
          errors={wrongDomains}
          spellCheck={false}
        />
      )}
      <CheckboxField
        label={t('Show it on the sign-in page')}
        name="offered"
        checked={draft.values.offered === true}
        onChange={({ currentTarget }) => draft.set('offered', currentTarget.checked)}
      />
      <div className="row">
        <Button type="submit" look="primary" isBusy={isBusy}>
          {t('Create source')}
        </Button>
      </div>
    </form>
  );
}
