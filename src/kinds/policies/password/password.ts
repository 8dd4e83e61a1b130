import { createHash } from 'node:crypto';
import { nestPromptData, promptValue } from '../../../flow/prompt-data.ts';
import { isJsonObject, type Json } from '../../../lib/json.ts';
import { message, type UserText, verbatim } from '../../../lib/texts/message.ts';
import type { GuardedFetch } from '../../../platform/fetch/guarded-fetch.ts';
import {
  CannotDecide,
  definePolicyKind,
  type PasswordRule,
  type PolicyKind,
  pass,
  refuse,
  type Verdict,
} from '../../../policy/kind.ts';
import type { RowOf } from '../../../resource/resource.ts';
import { passwordPolicy } from './password.resource.ts';
import { createStrength } from './strength.ts';

interface Dependencies {
  readonly fetch: GuardedFetch;
  /** Range lookup of breached password hashes, by the first five digits. */
  readonly stolenPasswordsUrl?: string;
}

export function passwords({
  fetch,
  stolenPasswordsUrl = 'https://api.pwnedpasswords.com/range/',
}: Dependencies): PolicyKind {
  const strengthOf = createStrength();

  /** k-anonymity: the service sees only the first five digits of the hash, shared by about a thousand passwords. */
  async function checkStolen(password: string, allowed: number): Promise<Verdict> {
    const hash = createHash('sha1').update(password).digest('hex').toUpperCase();
    const [prefix, rest] = [hash.slice(0, 5), hash.slice(5)];
    const answer = await fetch(`${stolenPasswordsUrl}${prefix}`, { headers: { 'add-padding': 'true' } }).catch(
      () => null,
    );
    const lines = answer?.status === 200 ? answer.text().trim().split(/\r?\n/) : [];
    // Any other response, such as one of a proxy, is not a result. A list is never empty.
    if (lines.length === 0 || !lines.every((line) => /^[\dA-F]{35}:\d+$/.test(line))) {
      throw new CannotDecide('The password could not be checked. Please try again later.');
    }
    const line = lines.find((text) => text.startsWith(`${rest}:`));
    const count = Number(line?.slice(rest.length + 1) ?? 0);
    return count > allowed ? refuse(message('Password exists on {count} online lists.', { count })) : pass;
  }

  return definePolicyKind({
    resource: passwordPolicy,
    async demo({ api }) {
      await api.ensure('/policies/password/', { name: 'Demo: long passwords' }, { length_min: 12 });
    },
    passwordRules: (policy) => (policy.check_static_rules ? rulesOf(policy) : []),
    async evaluate(policy, { context }) {
      const password = passwordIn(context, policy.password_field);
      if (password === null) return refuse('Password not set in context');
      const broken = policy.check_static_rules ? brokenRules(password, policy) : [];
      if (broken.length > 0)
        return refuse(...(policy.error_message.trim() === '' ? broken : [verbatim(policy.error_message)]));
      if (policy.check_zxcvbn && (await strengthOf(password)) <= policy.zxcvbn_score_threshold) {
        return refuse('Password is too weak.');
      }
      return policy.check_have_i_been_pwned ? checkStolen(password, policy.hibp_allowed_count) : pass;
    },
  });
}

function passwordIn(context: Readonly<Record<string, Json>>, field: string): string | null {
  const { prompt_data: prompts } = context;
  const typed = isJsonObject(prompts) ? promptValue(nestPromptData(prompts), field) : undefined;
  const password = typed ?? context[field];
  return typeof password === 'string' ? password : null;
}

function rulesOf(policy: RowOf<typeof passwordPolicy>): PasswordRule[] {
  const { length_min, amount_digits, amount_uppercase, amount_lowercase, amount_symbols } = policy;
  const amounts = [
    ['length', length_min],
    ['digits', amount_digits],
    ['uppercase', amount_uppercase],
    ['lowercase', amount_lowercase],
    ['symbols', amount_symbols],
  ] as const;
  const field_key = policy.password_field;
  return amounts.flatMap(([kind, at_least]) => {
    const characters = kind === 'symbols' ? policy.symbol_charset : '';
    return at_least > 0 ? [{ field_key, kind, at_least, characters }] : [];
  });
}

/** What the password lacks, as messages for the person. */
function brokenRules(password: string, policy: RowOf<typeof passwordPolicy>): UserText[] {
  const characters = [...password];
  const symbols = new Set(policy.symbol_charset);
  const has = (isOne: (character: string) => boolean) => characters.filter(isOne).length;
  const { length_min, amount_digits, amount_uppercase, amount_lowercase, amount_symbols } = policy;
  const rule = (count: number, found: number, words: (count: number) => UserText) =>
    found < count ? [words(count)] : [];
  return [
    ...rule(length_min, characters.length, (count) =>
      message('The password needs at least this many characters: {count}.', { count }),
    ),
    ...rule(
      amount_digits,
      has((character) => /\d/.test(character)),
      (count) => message('The password needs at least this many digits: {count}.', { count }),
    ),
    ...rule(
      amount_uppercase,
      has((character) => /\p{Lu}/u.test(character)),
      (count) => message('The password needs at least this many upper-case letters: {count}.', { count }),
    ),
    ...rule(
      amount_lowercase,
      has((character) => /\p{Ll}/u.test(character)),
      (count) => message('The password needs at least this many lower-case letters: {count}.', { count }),
    ),
    ...rule(
      amount_symbols,
      has((character) => symbols.has(character)),
      (count) => message('The password needs at least this many symbols: {count}.', { count }),
    ),
  ];
}
