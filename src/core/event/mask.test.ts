import { expect, test } from 'vitest';
import { masked } from '../../resource/write/audit.ts';
import { maskSecrets } from './mask.ts';

test('members named like secrets are masked at any depth', () => {
  const context = { user: 'ada', request: { deep: [{ api_token: 't0p' }, { Passphrase: 1234 }] } };
  expect(maskSecrets(context)).toEqual({
    user: 'ada',
    request: { deep: [{ api_token: masked }, { Passphrase: masked }] },
  });
});

test('a list of secrets shows none of them', () => {
  expect(maskSecrets({ passwords: ['one', ['two']] })).toEqual({ passwords: [masked, [masked]] });
});

test('a diff of a field named like a secret shows neither value', () => {
  const diff = {
    client_secret: { previous_value: 'old', new_value: 'new' },
    webhook_url: { previous_value: '', new_value: 'https://chat.example/hooks/of-ours' },
    name: { previous_value: 'a', new_value: 'b' },
  };
  expect(maskSecrets({ diff })).toEqual({
    diff: {
      client_secret: { previous_value: masked, new_value: masked },
      webhook_url: { previous_value: masked, new_value: masked },
      name: { previous_value: 'a', new_value: 'b' },
    },
  });
});

test('an object with a name like a secret is masked by its own members', () => {
  const secret = { app: 'svc_core', model_name: 'token', name: 'mine', key: 'k' };
  expect(maskSecrets({ secret })).toEqual({ secret: { ...secret, key: masked } });
});

test('values that are not secrets are not masked', () => {
  const context = { result: { passing: true }, password_change_date: '2026-01-01', has_password: true, token: null };
  expect(maskSecrets(context)).toEqual(context);
});
