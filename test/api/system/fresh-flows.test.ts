import { expect, test } from 'vitest';
import { bootstrap } from '../../../src/app/bootstrap/run.ts';
import { describeOnBoth } from '../../support/server.ts';

const expected = [
  ['default-authentication-flow', 'authentication', 'none'],
  ['default-authenticator-static-setup', 'stage_configuration', 'require_authenticated'],
  ['default-authenticator-totp-setup', 'stage_configuration', 'require_authenticated'],
  ['default-authenticator-webauthn-setup', 'stage_configuration', 'require_authenticated'],
  ['default-enrollment-flow', 'enrollment', 'require_unauthenticated'],
  ['default-invalidation-flow', 'invalidation', 'none'],
  ['default-password-change', 'stage_configuration', 'require_authenticated'],
  ['default-provider-authorization-explicit-consent', 'authorization', 'require_authenticated'],
  ['default-provider-authorization-implicit-consent', 'authorization', 'require_authenticated'],
  ['default-recovery-flow', 'recovery', 'none'],
  ['default-source-authentication', 'authentication', 'require_unauthenticated'],
  ['default-source-enrollment', 'enrollment', 'none'],
  ['default-source-pre-authentication', 'stage_configuration', 'none'],
  ['default-user-settings-flow', 'stage_configuration', 'require_authenticated'],
  ['initial-setup', 'stage_configuration', 'require_superuser'],
];

interface PromptStage {
  readonly name: string;
  readonly fields: readonly string[];
  readonly flow_set: readonly { readonly slug: string }[];
}

interface Prompt {
  readonly pk: string;
  readonly field_key: string;
}

describeOnBoth('flows of a fresh install', (server) => {
  test('all default flows exist', async () => {
    const { results } = (await server().admin.get('/flows/instances/')).body;
    expect(
      results.map(({ slug, designation, authentication }: Record<string, string>) => [
        slug,
        designation,
        authentication,
      ]),
    ).toEqual(expected);
  });

  test('prompt stages ask what they should, in the flows they belong to', async () => {
    const { results: stages } = (await server().admin.get('/stages/prompt/stages/?ordering=name')).body;
    const { results: prompts } = (await server().admin.get('/stages/prompt/prompts/?ordering=order')).body;
    const asked = stages.map(({ name, fields, flow_set }: PromptStage) => [
      name,
      flow_set.map(({ slug }) => slug),
      prompts.filter(({ pk }: Prompt) => fields.includes(pk)).map(({ field_key }: Prompt) => field_key),
    ]);
    expect(asked).toEqual([
      [
        'default-enrollment-prompt',
        ['default-enrollment-flow'],
        ['username', 'name', 'email', 'password', 'password_repeat'],
      ],
      ['default-password-change-prompt', ['default-password-change'], ['password', 'password_repeat']],
      ['default-recovery-prompt', ['default-recovery-flow'], ['password', 'password_repeat']],
      ['default-source-enrollment-prompt', ['default-source-enrollment'], ['username']],
      [
        'default-user-settings',
        ['default-user-settings-flow'],
        ['username', 'name', 'email', 'attributes.settings.locale'],
      ],
      ['stage-default-oobe-password', ['initial-setup'], ['oobe-header-text', 'email', 'password', 'password_repeat']],
    ]);
  });

  test('the settings prompts show what is known of a person', async () => {
    const { results } = (await server().admin.get('/stages/prompt/prompts/?search=default-user-settings')).body;
    for (const [key, value] of [
      ['username', 'admin'],
      ['name', 'Gatehouse Default Admin'],
      ['email', 'root@example.com'],
      ['attributes.settings.locale', ''],
    ]) {
      const prompt = results.find(({ field_key }: { field_key: string }) => field_key === key);
      const { status, body } = await server().admin.post('/stages/prompt/prompts/preview/', prompt);
      expect([key, status, body.fields?.[0].initial_value]).toEqual([key, 200, value]);
    }
  });

  test('a second start restores nothing and undoes no change', async () => {
    await server().admin.patch('/flows/instances/default-invalidation-flow/', { title: 'Bye' });
    await server().admin.delete('/flows/instances/default-source-pre-authentication/');
    const { world, app } = server();
    await bootstrap(world, app);
    expect((await server().admin.get('/flows/instances/default-invalidation-flow/')).body.title).toBe('Bye');
    expect((await server().admin.get('/flows/instances/default-source-pre-authentication/')).status).toBe(404);
    expect((await server().admin.get('/flows/instances/')).body.pagination.count).toBe(expected.length - 1);
  });
});
