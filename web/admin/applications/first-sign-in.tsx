import { type ReactNode, useCallback, useEffect } from 'react';
import { apiFetch } from '../../api/call.ts';
import type { Event, OAuth2Provider, PaginatedEventList, PaginatedTokenModelList } from '../../api/types.ts';
import { Button } from '../../elements/button.tsx';
import { useLoadable } from '../../elements/loading.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { Rich } from '../../texts/rich.tsx';
import { t } from '../../texts/texts.ts';
import { addToList } from '../api/add-to-list.ts';
import { useInterface } from '../api/interface.ts';
import { factsIn } from '../events/event.ts';

const pauseMs = 3_000;
const oauth2 = '/providers/oauth2/';

export type RegisteredUri = OAuth2Provider['redirect_uris'][number];

interface Progress {
  /** The last refusal, unless it was fixed since. */
  readonly refusal: Event | null;
  readonly state: 'waiting' | 'without tokens' | 'done';
}

interface Props {
  readonly name: string;
  /** The key of the application. */
  readonly pk: string;
  /** The API path of its provider. */
  readonly provider: string;
  readonly registered: readonly RegisteredUri[];
  /** After an address was added. */
  onAdded(): void;
}

/** Waits until the application itself has signed a user in, and shows the request if that is refused. */
export function FirstSignIn({ name, pk, provider, registered, onAdded }: Props) {
  const { resources } = useInterface();
  const may = (path: string) => resources.find((entry) => entry.path === path)?.may;
  const isReadable = may('/events/events/') !== undefined;
  const hasTokens = provider.startsWith(oauth2) && may('/oauth2/access_tokens/') !== undefined;
  const { answer, reload } = useLoadable(
    useCallback(() => findProgress(pk, hasTokens ? provider : null), [pk, hasTokens, provider]),
  );
  const progress = answer.state === 'ready' ? answer.value : null;
  const isOver = !isReadable || progress?.state === 'done';
  useEffect(() => {
    if (isOver) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && void reload(), pauseMs);
    return () => clearInterval(timer);
  }, [isOver, reload]);
  if (!isReadable) return null;
  if (progress?.state === 'done')
    return <Notice tone="good">{t('{name} has signed a user in. Everything is configured.', { name })}</Notice>;
  const refusal = progress?.refusal ?? null;
  const sent = refusal && wrongUriIn(refusal);
  const isMended = registered.some(({ url }) => url === sent);
  return (
    <div className="stack-tight">
      <p className="waiting" role="status">
        <span className="spinner" aria-hidden="true" /> {t('Waiting for the first sign-in from {name}…', { name })}
      </p>
      {progress?.state === 'without tokens' && (
        <Notice tone="warn">
          {t('{name} sent a user here, but has not fetched tokens. Check the client ID and the secret there.', {
            name,
          })}
        </Notice>
      )}
      {refusal && sent === null && <Notice tone="warn">{refusal.sentence}</Notice>}
      {sent && !isMended && (
        <Unregistered sent={sent} name={name}>
          {may(oauth2)?.change === 'all' && (
            <AddButton {...{ provider, sent }} onAdded={() => [onAdded(), void reload()]} />
          )}
        </Unregistered>
      )}
    </div>
  );
}

function Unregistered({ sent, name, children }: { sent: string; name: string; children: ReactNode }) {
  const code = (text: ReactNode) => (
    <strong className="wrapped">
      <bdi>{text}</bdi>
    </strong>
  );
  return (
    <Notice tone="warn">
      <div className="row">
        <div className="rows-text">
          <p>
            <Rich
              text="{name} sent <code>{address}</code>, which is not registered."
              values={{ name, address: sent, code }}
            />
          </p>
        </div>
        {children}
      </div>
    </Notice>
  );
}

interface AddProps {
  readonly provider: string;
  readonly sent: string;
  onAdded(): void;
}

function AddButton({ provider, sent, onAdded }: AddProps) {
  const { isBusy, problem, attempt } = useAttempt();
  const add = () =>
    attempt(async () => {
      await addToList(provider, 'redirect_uris', { matching_mode: 'strict', url: sent });
      onAdded();
    });
  return (
    <>
      <Button isBusy={isBusy} onClick={() => void add()}>
        {t('Add it')}
      </Button>
      {problem && <p>{problem}</p>}
    </>
  );
}

/** The address of a request that named one which is not registered. */
function wrongUriIn({ context }: Event): string | null {
  const { redirect_uri } = factsIn(context);
  return typeof redirect_uri === 'string' ? redirect_uri : null;
}

/** By the events of the application, and for OpenID Connect by the tokens that it has fetched. */
async function findProgress(pk: string, provider: string | null): Promise<Progress> {
  const key = pk.replaceAll('-', '');
  const query = new URLSearchParams({ search: key, page_size: '5' });
  for (const action of ['authorize_application', 'configuration_error', 'policy_execution'])
    query.append('actions', action);
  const { results } = await apiFetch<PaginatedEventList>('GET', `/events/events/?${query}`);
  const [latest] = results;
  const hasCome = results.some(({ action }) => action === 'authorize_application');
  const refusal = latest && latest.action !== 'authorize_application' ? latest : null;
  if (!hasCome) return { refusal, state: 'waiting' };
  if (provider === null) return { refusal, state: 'done' };
  const tokens = new URLSearchParams({ provider: provider.split('/').at(-2) ?? '', page_size: '1' });
  const { pagination } = await apiFetch<PaginatedTokenModelList>('GET', `/oauth2/access_tokens/?${tokens}`);
  return { refusal, state: pagination.count > 0 ? 'done' : 'without tokens' };
}
