import { apiFetch } from '../../api/call.ts';
import type { Application, PaginatedTokenModelList } from '../../api/types.ts';
import { ConfirmButton } from '../../elements/confirm-button.tsx';
import { Loaded } from '../../elements/loading.tsx';
import { Moment } from '../../elements/moment.tsx';
import { useToast } from '../../elements/toast.tsx';
import { Rich } from '../../texts/rich.tsx';
import { t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import { useEntry } from '../api/interface.ts';
import { usePart } from '../api/pages.ts';
import { Link } from '../link.tsx';

/** Tokens that the application holds for people. */
export function TokensTab({ application: { provider } }: { application: Application }) {
  return (
    <div className="stack">
      <Tokens title={t('Refresh tokens')} path="/oauth2/refresh_tokens/" provider={provider} />
      <Tokens title={t('Access tokens')} path="/oauth2/access_tokens/" provider={provider} />
    </div>
  );
}

function Tokens({ title, path, provider }: { title: string; path: string; provider: number | null }) {
  const canRevoke = useEntry(path)?.may.delete === 'all';
  const done = useToast();
  const tokens = usePart<PaginatedTokenModelList>(`${path}?provider=${provider}&ordering=-expires&page_size=25`);
  return (
    <section className="stack-tight" aria-label={title}>
      <h2>{title}</h2>
      <Loaded {...tokens}>
        {({ results, pagination }) => (
          <>
            {results.length === 0 && <p className="empty">{t('There are none.')}</p>}
            {results.length > 0 && (
              <ul className="rows">
                {results.map((token) => (
                  <li key={token.pk} className="rows-row">
                    <div className="rows-text">
                      <p>
                        <Link href={hrefOf(`/core/users/${token.user.pk}/`)}>{token.user.username}</Link>{' '}
                        {token.revoked && <span className="tag tag-alert">{t('Revoked')}</span>}
                        {!token.revoked && token.is_expired && <span className="tag">{t('Expired')}</span>}
                      </p>
                      <p className="quiet small">
                        {token.scope.join(', ')}
                        {token.expires && (
                          <>
                            {' · '}
                            <Rich
                              text={token.is_expired ? 'expired {when}' : 'expires {when}'}
                              values={{ when: <Moment key="when" at={token.expires} /> }}
                            />
                          </>
                        )}
                      </p>
                    </div>
                    {canRevoke && !token.revoked && !token.is_expired && (
                      <ConfirmButton
                        about={t('the token of {name}', { name: token.user.username })}
                        question={t('Revoke the token of {name}?', { name: token.user.username })}
                        consequence={
                          <p>{t('The application can no longer use it. The user may have to sign in again.')}</p>
                        }
                        confirm={t('Revoke')}
                        onConfirm={async () => {
                          await apiFetch('DELETE', `${path}${token.pk}/`);
                          await tokens.reload();
                          done(t('The token is revoked.'));
                        }}
                      >
                        {t('Revoke')}
                      </ConfirmButton>
                    )}
                  </li>
                ))}
              </ul>
            )}
            {pagination.count > results.length && (
              <p>
                <Link href={hrefOf(path, { provider: String(provider) })}>
                  {t('All {count, number}', { count: pagination.count })}
                </Link>
              </p>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}
