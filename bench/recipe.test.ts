import { expect, test } from 'vitest';
import { type Exchange, recipeOf, render } from './recipe.ts';

const group = '11111111-1111-4111-8111-111111111111';
const exchange = (pk: string, name: string): Exchange => ({
  name,
  statements: [
    { sql: 'select who', parameters: ['hash'] },
    { sql: 'insert', parameters: [pk, name, group, 1] },
    { sql: 'event', parameters: [`{"pk":"${pk.replaceAll('-', '')}","name":"${name}"}`] },
  ],
  status: 201,
  headers: [],
  body: JSON.stringify({ pk, name, group }),
});

test('replaces keys and the name, and leaves the rest as it was', () => {
  const first = exchange('22222222-2222-4222-8222-222222222222', 'rule-a');
  const second = exchange('33333333-3333-4333-8333-333333333333', 'rule-b');
  const recipe = recipeOf({ method: 'POST', path: '/x/' }, first, second, 1);
  const key = '44444444-4444-4444-8444-444444444444';
  const texts = recipe.work.map(({ parameters }) =>
    parameters.map((parameter) => ('fixed' in parameter ? parameter.fixed : render(parameter, [key], 'rule-c'))),
  );

  expect(recipe.freshKeys).toBe(1);
  expect(recipe.authentication.map(({ sql }) => sql)).toEqual(['select who']);
  expect(texts).toEqual([[key, 'rule-c', group, 1], [`{"pk":"${key.replaceAll('-', '')}","name":"rule-c"}`]]);
  expect(JSON.parse(render(recipe.body, [key], 'rule-c'))).toEqual({ pk: key, name: 'rule-c', group });
});

test('a read is repeated to the letter', () => {
  const read = { ...exchange(group, 'rule-a'), name: null };
  const recipe = recipeOf({ method: 'GET', path: '/x/' }, read, read, 1);

  expect(recipe.freshKeys).toBe(0);
  expect(recipe.isWrite).toBe(false);
  expect(render(recipe.body, [], '')).toBe(read.body);
});

test('a deletion is repeated for another key', () => {
  const deletion = (target: number): Exchange => ({
    ...exchange(group, 'rule-a'),
    name: null,
    target,
    statements: [{ sql: 'delete', parameters: [target, 7] }],
  });
  const recipe = recipeOf({ method: 'DELETE', path: '/x/{target}/' }, deletion(41), deletion(42), 0);
  const [step] = recipe.work;

  expect(recipe.isWrite).toBe(true);
  expect(step?.parameters.map((value) => ('fixed' in value ? value.fixed : render(value, [], '43')))).toEqual([
    '43',
    7,
  ]);
});
