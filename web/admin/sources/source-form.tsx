import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { apiFetch } from '../../api/call.ts';
import { Button } from '../../elements/button.tsx';
import { CheckboxField, RadioGroup } from '../../elements/choice.tsx';
import { PasswordField, TextAreaField, TextField } from '../../elements/field.tsx';
import { useAnswer } from '../../elements/loading.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { Rich } from '../../texts/rich.tsx';
import { type Text, t } from '../../texts/texts.ts';
import { goTo, hrefOf } from '../address.ts';
import { CopyRows } from '../parts/copy-rows.tsx';
import { slugOf } from '../slug.ts';
import { createSource, type Newcomers } from './create-source.ts';
import type { Service } from './services.ts';

const textOf = (form: FormData, name: string): string => String(form.get(name) ?? '').trim();

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
  const { answer } = useAnswer<{ readonly results: readonly { readonly slug: string }[] }>(
    '/sources/all/?page_size=100',
  );
  if (answer.state !== 'ready') return null;
  const taken = new Set(answer.value.results.map(({ slug }) => slug));
  for (let at = 1; ; at++) {
    const slug = at === 1 ? wanted : `${wanted}-${at}`;
    if (!taken.has(slug)) return slug;
  }
}

/** As the server has it: its public address may be another than that of this page. */
function useRedirectUri({ wellKnown, hasEndpoints }: Service, type: string, slug: string | null): string | undefined {
  const [redirect, setRedirect] = useState<string>();
  const hasDiscovery = wellKnown !== undefined;
  useEffect(() => {
    if (slug === null) return;
    const draft = {
      ...{ name: slug, slug, provider_type: type, consumer_key: 'x', consumer_secret: 'x' },
      ...(hasDiscovery && { oidc_well_known_url: 'https://id.example.com/.well-known/openid-configuration' }),
      ...(hasEndpoints && Object.fromEntries(endpoints.map(([member]) => [member, 'https://id.example.com/']))),
    };
    apiFetch<{ callback_url: string }>('POST', '/sources/oauth/?dry_run=true', draft).then(
      ({ callback_url }) => setRedirect(callback_url),
      () => setRedirect(undefined),
    );
  }, [slug, type, hasDiscovery, hasEndpoints]);
  return redirect;
}

/** What a source of this service needs, and nothing else. */
export function SourceForm({ service, type }: { service: Service; type: string }) {
  const { asks, hasEndpoints, console: where } = service;
  const isNamed = asks?.isName || hasEndpoints;
  const [name, setName] = useState(isNamed ? '' : service.name);
  const [newcomers, setNewcomers] = useState<Newcomers>('nobody');
  const [wrongDomains, setWrongDomains] = useState<string[]>([]);
  const { isBusy, problem, attempt } = useAttempt();
  const slug = useFreeSlug(slugOf(name) || service.id);
  const redirect = useRedirectUri(service, type, slug);

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const domains = domainsIn(textOf(form, 'domains'));
    const wrong = domains.filter((domain) => !isDomain(domain));
    const isMissing = newcomers === 'domains' && domains.length === 0;
    setWrongDomains([
      ...(isMissing ? [t('Enter a domain.')] : []),
      ...wrong.map((text) => t('This is not a domain: {text}', { text })),
    ]);
    if (isMissing || wrong.length > 0 || isBusy || slug === null) return;
    const wellKnown = service.wellKnown?.(textOf(form, 'answer'));
    void attempt(async () => {
      const made = await createSource({
        values: {
          ...{ name, slug, provider_type: type },
          ...{ consumer_key: textOf(form, 'client'), consumer_secret: textOf(form, 'secret') },
          ...(wellKnown !== undefined && { oidc_well_known_url: wellKnown }),
          ...(hasEndpoints && {
            ...Object.fromEntries(endpoints.map(([member]) => [member, textOf(form, member)])),
            additional_scopes: textOf(form, 'scopes'),
          }),
        },
        ...{ newcomers, domains, isOffered: form.get('offered') !== null },
      });
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
      {problem && <Notice tone="bad">{problem}</Notice>}
      {isNamed && (
        <TextField
          label={t('Name on the sign-in page')}
          name="name"
          required
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
      )}
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
            {
              label: t('Redirect URI'),
              text: redirect,
            },
          ]}
        />
      </div>
      {asks && <TextField label={t(asks.label)} hint={t(asks.hint)} name="answer" required spellCheck={false} />}
      {hasEndpoints &&
        endpoints.map(([member, label, hint]) => (
          <TextField
            key={member}
            label={t(label)}
            {...(hint && { hint: t(hint) })}
            name={member}
            type="url"
            required
            spellCheck={false}
          />
        ))}
      <TextField label={t('Client ID')} name="client" required autoComplete="off" spellCheck={false} />
      {type === 'apple' ? (
        <TextAreaField label={t('Private key (PEM)')} name="secret" required spellCheck={false} />
      ) : (
        <PasswordField label={t('Client secret')} name="secret" required autoComplete="off" />
      )}
      {hasEndpoints && (
        <TextField
          label={t('Scopes')}
          hint={t('Separated by spaces, as the service names them.')}
          name="scopes"
          spellCheck={false}
        />
      )}
      <RadioGroup
        label={t('Who gets an account?')}
        name="newcomers"
        defaultValue={newcomerChoices[0] ?? ''}
        onChange={(value) => setNewcomers(newcomerChoices.find((one) => one === value) ?? 'nobody')}
        choices={newcomerChoices.map((value) => ({ value, label: t(newcomerLabels[value]) }))}
      />
      {newcomers === 'domains' && (
        <TextField
          label={t('Domains')}
          hint={t('Such as example.com. Only addresses that the service has verified count.')}
          name="domains"
          errors={wrongDomains}
          spellCheck={false}
        />
      )}
      <CheckboxField label={t('Show it on the sign-in page')} name="offered" defaultChecked />
      <div className="row">
        <Button type="submit" look="primary" isBusy={isBusy}>
          {t('Create source')}
        </Button>
      </div>
    </form>
  );
}
