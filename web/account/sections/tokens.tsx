import { useState } from 'react';
import { callAsPerson } from '../../api/call.ts';
import { useDone } from '../../elements/announcing.tsx';
import { ConfirmButton } from '../../elements/confirm-button.tsx';
import { ExactMoment } from '../../elements/moment.tsx';
import { Listed, useListing } from '../listing.tsx';
import { usePerson } from '../person.ts';
import { Section } from '../section.tsx';
import { NewToken } from './new-token.tsx';
import { type Token, tokensPath } from './token.ts';
import { type ShownKey, TokenKey } from './token-key.tsx';

const intents: Readonly<Record<string, string>> = {
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
  const done = useDone();

  async function show(token: Pick<Token, 'identifier'>): Promise<void> {
    const { key } = await callAsPerson<{ key: string }>('GET', `${pathOf(token)}view_key/`);
    setShown({ identifier: token.identifier, secret: key });
  }

  async function remove(token: Token): Promise<void> {
    await callAsPerson('DELETE', pathOf(token));
    if (shown?.identifier === token.identifier) setShown(null);
    await tokens.reload();
    done(`The token ${token.identifier} is deleted.`);
  }

  return (
    <Section
      title="Tokens"
      intro="Keys with which programs act as you: API tokens for the API, app passwords where only a password can be entered."
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
      <Listed listing={tokens} empty="You have no tokens.">
        {(rows) => (
          <ul className="rows">
            {rows.map((token) => (
              <li key={token.pk} className="rows-row">
                <div className="rows-text">
                  <h2>
                    {token.identifier} <span className="tag">{intents[token.intent] ?? token.intent}</span>
                  </h2>
                  {token.description && <p className="small">{token.description}</p>}
                  <p className="quiet small">{expiryOf(token)}</p>
                </div>
                <div className="row">
                  <ConfirmButton
                    about={`of ${token.identifier}`}
                    question={`Show the key of ${token.identifier}?`}
                    consequence="Whoever sees it can act as you. That you looked at it is recorded."
                    confirm="Show key"
                    onConfirm={() => show(token)}
                  >
                    Show key
                  </ConfirmButton>
                  <ConfirmButton
                    about={token.identifier}
                    question={`Delete the token ${token.identifier}?`}
                    consequence="Programs that use it are refused at once."
                    confirm="Delete token"
                    onConfirm={() => remove(token)}
                  >
                    Delete
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

function expiryOf({ expiring, expires, intent }: Token) {
  if (!expiring || !expires) return 'Does not expire';
  // An API token outlives its key: it gets a new one, which has to be looked up.
  const words = intent === 'api' ? 'Gets a new key on ' : 'Expires on ';
  return (
    <>
      {words}
      <ExactMoment at={expires} />
    </>
  );
}
