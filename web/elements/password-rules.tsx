import type { PromptChallenge } from '../api/types.ts';
import { type Text, t } from '../texts/texts.ts';

/** A rule of the server, which decides in the end. */
export type PasswordRule = NonNullable<PromptChallenge['password_rules']>[number];

/** The rules of a new password, each ticked as soon as it is met. */
export function PasswordRules({ id, rules, typed }: { id: string; rules: readonly PasswordRule[]; typed: string }) {
  const characters = [...typed];
  return (
    <ul className="password-rules small" id={id}>
      {rules.map((rule) => {
        const known = kinds[rule.kind];
        if (!known) return null;
        const found = characters.filter((one) => known.counts(one, rule)).length;
        const isMet = found >= rule.at_least;
        return (
          <li key={rule.kind + rule.characters} data-is-met={isMet || undefined}>
            {t(known.text, { count: rule.at_least })}
            <span className="visually-hidden"> {isMet ? t('Met') : t('Not met yet')}</span>
          </li>
        );
      })}
    </ul>
  );
}

interface Kind {
  readonly text: Text;
  /** As the server counts. */
  counts(character: string, rule: PasswordRule): boolean;
}

const kinds: Readonly<Record<string, Kind>> = {
  length: { text: 'At least {count, plural, one {# character} other {# characters}}', counts: () => true },
  digits: {
    text: 'At least {count, plural, one {# digit} other {# digits}}',
    counts: (one) => /\d/.test(one),
  },
  uppercase: {
    text: 'At least {count, plural, one {# upper-case letter} other {# upper-case letters}}',
    counts: (one) => /\p{Lu}/u.test(one),
  },
  lowercase: {
    text: 'At least {count, plural, one {# lower-case letter} other {# lower-case letters}}',
    counts: (one) => /\p{Ll}/u.test(one),
  },
  symbols: {
    text: 'At least {count, plural, one {# symbol} other {# symbols}}',
    counts: (one, { characters }) => characters.includes(one),
  },
};
