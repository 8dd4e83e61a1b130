import { useState } from 'react';
import { apiFetch } from '../../api/call.ts';
import type { Token, TokenView } from '../../api/types.ts';
import { ConfirmButton } from '../../elements/confirm-button.tsx';
import { ExactMoment } from '../../elements/moment.tsx';
import { useToast } from '../../elements/toast.tsx';
import { Rich } from '../../texts/rich.tsx';
import { type Text, t } from '../../texts/texts.ts';
import { Listed, useListing } from '../listing.tsx';
import { usePerson } from '../person.ts';
import { Section } from '../section.tsx';
import { NewToken } from './new-token.tsx';
import { tokensPath } from './token.ts';
import { type ShownKey, TokenKey } from './token-key.tsx';

const intents: Readonly<Record<string, Text>> = {
  api: 'API token',
  app_password: 'App password',
  recovery: 'Recovery link',
  verification: 'Verification link',
};

const pathOf = ({ identifier }: Pick<Token, 'identifier'>) => `${tokensPath}${encodeURIComponent(identifier)}/`;

/** Keys with which programs act as the user. */
export function Tokens() {
  const { username } = usePerson();
  const tokens = useListing<Token>(`${tokensPath}?user__username=${encodeURIComponent(username)}`);
  const [shown, setShown] = useState<ShownKey | null>(null);
  const done = useToast();

  async function show(token: Pick<Token, 'identifier'>): Promise<void> {
    const { key } = await apiFetch<TokenView>('GET', `${pathOf(token)}view_key/`);
    setShown({ identifier: token.identifier, secret: key });
  }

  async function remove(token: Token): Promise<void> {
    await apiFetch('DELETE', pathOf(token));
    if (shown?.identifier === token.identifier) setShown(null);
    await tokens.reload();
    done(t('The token {identifier} is deleted.', { identifier: token.identifier }));
  }

  return (
    <Section
      title={t('Tokens')}
      intro={t(
        'Keys for programs that act on your behalf: API tokens for the API, app passwords for programs that only accept a password.',
      )}
      actions={
        <NewToken
          onMade={async (token) => {
            await show(token);
            await tokens.reload();
          }}
        />
      }
    >
      {shown && <TokenKey {...shown} onClose={() => setShown(null)} />}
      <Listed listing={tokens} empty={t('You have no tokens.')}>
        {(rows) => (
          <ul className="rows">
            {rows.map((token) => (
              <li key={token.pk} className="rows-row">
                <div className="rows-text">
                  <h2>
                    {token.identifier} <span className="tag">{intentOf(token)}</span>
                  </h2>
                  {token.description && <p className="small">{token.description}</p>}
                  <p className="quiet small">{expiryOf(token)}</p>
                </div>
                <div className="row">
                  <ConfirmButton
                    about={t('of {name}', { name: token.identifier })}
                    question={t('Show the key of {name}?', { name: token.identifier })}
                    consequence={t('Anyone who sees it can act as you. Viewing it is recorded.')}
                    confirm={t('Show key')}
                    onConfirm={() => show(token)}
                  >
                    {t('Show key')}
                  </ConfirmButton>
                  <ConfirmButton
                    about={token.identifier}
                    question={t('Delete the token {name}?', { name: token.identifier })}
                    consequence={t('Programs that use it lose access at once.')}
                    confirm={t('Delete token')}
                    onConfirm={() => remove(token)}
                  >
                    {t('Delete')}
                  </ConfirmButton>
                </div>
              </li>
            ))}
          </ul>
        )}
      </Listed>
    </Section>
  );
}

function intentOf({ intent }: Token): string {
  const text = intents[intent];
  return text ? t(text) : intent;
}

function expiryOf({ expiring, expires, intent }: Token) {
  if (!expiring || !expires) return t('Does not expire');
  // An API token outlives its key: it gets a new one, which has to be looked up.
  const text = intent === 'api' ? 'Gets a new key on {when}' : 'Expires on {when}';
  return <Rich text={text} values={{ when: <ExactMoment at={expires} /> }} />;
}
