import { MappingFailed } from '../../../core/mapping/evaluate.ts';
import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import { promptValue } from '../../../flow/prompt-data.ts';
import { asText, type Json } from '../../../lib/json.ts';
import { Invalid } from '../../../lib/problem.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import { choiceTypes } from './prompt-types.ts';

/** A prompt as stored. */
export interface Prompt {
  readonly field_key: string;
  readonly label: string;
  readonly type: string;
  readonly required: boolean;
  readonly placeholder: string;
  readonly initial_value: string;
  readonly order: number;
  readonly sub_text: string;
  readonly placeholder_expression: boolean;
  readonly initial_value_expression: boolean;
}

/** A prompt as displayed. */
export interface RenderedPrompt {
  readonly field_key: string;
  readonly label: string;
  readonly type: string;
  readonly required: boolean;
  readonly placeholder: string;
  readonly initial_value: string;
  readonly order: number;
  readonly sub_text: string;
  readonly choices: readonly string[] | null;
}

export interface PromptContext {
  readonly sandbox: Sandbox;
  /** The user who sees the prompt; null if unknown. */
  readonly user: UserFacts | null;
  readonly http: Readonly<Record<string, string>>;
  /** The answers so far. */
  readonly promptContext: Readonly<Record<string, Json>>;
  /** Called for each expression that fails; its source text is shown instead. Without it, failures throw. */
  onFailure?(failure: MappingFailed): void;
}

/** Evaluates a prompt's expressions. */
export function showPrompt(prompt: Prompt, context: PromptContext): RenderedPrompt {
  const { field_key, label, type, required, order, sub_text } = prompt;
  const hint = prompt.placeholder_expression ? evaluate('placeholder', prompt, context) : prompt.placeholder;
  const given = initialValue(prompt, context);
  if (!choiceTypes.has(type)) {
    const evaluated = { placeholder: textOf(hint), initial_value: textOf(given), choices: null };
    return { field_key, label, type, required, order, sub_text, ...evaluated };
  }
  const choices = (Array.isArray(hint) ? hint : [hint]).map(textOf).filter((choice) => choice !== '');
  // An optional choice has no default: without an answer it stays empty.
  const first = required ? (choices[0] ?? '') : '';
  const initial = choices.includes(textOf(given)) ? textOf(given) : first;
  return { field_key, label, type, required, order, sub_text, placeholder: '', initial_value: initial, choices };
}

function initialValue(prompt: Prompt, context: PromptContext): Json {
  const previous = promptValue(context.promptContext, prompt.field_key);
  if (previous !== undefined) return previous;
  return prompt.initial_value_expression ? evaluate('initial_value', prompt, context) : prompt.initial_value;
}

function evaluate(member: 'placeholder' | 'initial_value', prompt: Prompt, context: PromptContext): Json {
  const user = context.user;
  const globals: Record<string, Json> = {
    user,
    request: { user, http_request: { ...context.http } },
    prompt_context: { ...context.promptContext },
  };
  const result = context.sandbox.run(prompt[member], { globals });
  if (result.ok) return result.value;
  // Authors previewing a prompt must see which member fails; people signing up must not be blocked by it.
  if (!context.onFailure) throw Invalid.field(member, result.error);
  context.onFailure(new MappingFailed(prompt[member], result.error));
  return prompt[member];
}

const textOf = (value: Json): string => (value === null ? '' : asText(value));
