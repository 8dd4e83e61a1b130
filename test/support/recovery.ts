import { openBrowser } from './flow-client.ts';
import { bindExpression, makePrompt, makeWalk, type Walk } from './make-walk.ts';
import type { MailReceiver } from './receivers.ts';
import { personWithPassword } from './second-factor.ts';
import type { TestServer } from './server.ts';

/** A flow that lets people choose a new password by a link: who they are, the mail, the password, signing in. */
export async function makeRecovery(
  server: TestServer,
  email: Record<string, unknown> = {},
  flow: Record<string, unknown> = {},
): Promise<Walk> {
  const walk = await makeWalk(
    server,
    [
      ['identification', { user_fields: ['username', 'email'] }],
      ['email', { use_global_settings: true, ...email }],
      ['prompt/stages', { fields: await choosing(server) }],
      ['user_write', { user_creation_mode: 'never_create' }],
      ['user_login'],
    ],
    { designation: 'recovery', ...flow },
  );
  await bindExpression(server, walk.bindings[0]?.target as string, 'return !context.is_restored;');
  return walk;
}

/** Makes a flow the one that the default brand recovers people by. */
export async function recoverBy(server: TestServer, flow_recovery: string | null): Promise<void> {
  const { results } = (await server.admin.get('/core/brands/?default=true')).body;
  const answer = await server.admin.patch(`/core/brands/${results[0].brand_uuid}/`, { flow_recovery });
  if (answer.status !== 200) throw new Error(answer.text);
}

/** A user who has opened a link to choose a new password, with these stages after the choice. */
export async function openRecovery(server: TestServer, stages: Parameters<typeof makeWalk>[1]) {
  const { slug, pk } = await makeWalk(server, [['prompt/stages', { fields: await choosing(server) }], ...stages], {
    designation: 'recovery',
  });
  await recoverBy(server, pk);
  const user = await personWithPassword(server);
  const { body } = await server.admin.post(`/core/users/${user.pk}/recovery/`);
  const browser = openBrowser(server);
  await browser.answer(slug, { component: 'xak-stage-email' }, new URL(body.link).search.slice(1));
  return { browser, slug, user };
}

/** The prompts of a new password. */
const choosing = async (server: TestServer): Promise<string[]> => [
  await makePrompt(server, 'password', 'password'),
  await makePrompt(server, 'again', 'password', { order: 1 }),
];

/** The mails as their readers see them. */
export const readMails = ({ mails }: MailReceiver): string[] =>
  mails.map(({ text }) =>
    text
      .replaceAll(/=\r?\n/g, '')
      .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  );

/** The address in the mail that came last. */
export function linkIn(receiver: MailReceiver): URL {
  const [link] = /https?:\/\/\S+\b(?:flow_|i)token=[\w-]+/.exec(readMails(receiver).at(-1) ?? '') ?? [];
  if (!link) throw new Error('no mail with a link has come');
  return new URL(link);
}

export const newPassword = { password: 'a new horse', again: 'a new horse' };
