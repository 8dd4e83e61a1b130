import { expect, test } from 'vitest';
import { Invalid } from '../../../lib/problem.ts';
import { createSandbox } from '../../../platform/sandbox/sandbox.ts';
import { type Prompt, showPrompt } from './show-prompt.ts';

const prompt: Prompt = {
  field_key: 'colour',
  label: 'Colour',
  type: 'text',
  required: true,
  placeholder: '',
  initial_value: '',
  order: 1,
  sub_text: '',
  placeholder_expression: false,
  initial_value_expression: false,
};
const sandbox = createSandbox();
const show = (values: Partial<Prompt>, promptContext = {}) =>
  showPrompt({ ...prompt, ...values }, { sandbox, user: null, http: { host: 'example.org' }, promptContext });

test('what is known already comes before the initial value', () => {
  const first = { initial_value: 'red' };
  expect(show(first).initial_value).toBe('red');
  expect(show(first, { colour: 'blue' }).initial_value).toBe('blue');
  expect(
    show({ initial_value: 'return 1 / 0', initial_value_expression: true }, { colour: 'blue' }).initial_value,
  ).toBe('blue');
});

test('expressions see the answers so far and the request; other values become text', () => {
  const expression = (initial_value: string) => show({ initial_value, initial_value_expression: true }, { a: 1 });
  expect(expression('return prompt_context.a + 1').initial_value).toBe('2');
  expect(expression('return request.http_request.host').initial_value).toBe('example.org');
  expect(expression('return null').initial_value).toBe('');
  expect(expression('return {b: [true]}').initial_value).toBe('{"b":[true]}');
});

test('an initial value that is no choice gives way to the first one', () => {
  const choices = { type: 'dropdown', placeholder: 'return ["red", 5]', placeholder_expression: true };
  expect(show({ ...choices, initial_value: 'green' })).toMatchObject({ choices: ['red', '5'], initial_value: 'red' });
  expect(show({ ...choices, initial_value: '5' })).toMatchObject({ initial_value: '5', placeholder: '' });
  expect(show({ type: 'dropdown' })).toMatchObject({ choices: [], initial_value: '' });
});

test('an optional choice has none from the start', () => {
  const choices = { type: 'dropdown', placeholder: 'return ["red", "blue"]', placeholder_expression: true };
  expect(show({ ...choices, required: false })).toMatchObject({ choices: ['red', 'blue'], initial_value: '' });
  expect(show({ ...choices, required: false, initial_value: 'blue' })).toMatchObject({ initial_value: 'blue' });
});

test('an expression that fails names its member', () => {
  const fail = () => show({ placeholder: 'return user.name', placeholder_expression: true });
  expect(fail).toThrow(Invalid);
  try {
    fail();
  } catch (error) {
    expect(Object.keys((error as Invalid).complaints)).toEqual(['placeholder']);
  }
});
