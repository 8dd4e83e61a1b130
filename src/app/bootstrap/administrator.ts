import { sql } from 'kysely';
import { recordEmailProof } from '../../core/directory/email-proof.ts';
import { issueToken } from '../../core/token/issue-token.ts';
import type { Config } from '../../platform/config.ts';
import { randomText } from '../../platform/random.ts';
import { createFirstLoginLink } from '../first-login-link.ts';
import type { World } from '../world.ts';
import type { BootstrapStep } from './steps.ts';

interface FirstSecrets {
  readonly password: string;
  readonly passwordHash: string;
  readonly token: string;
}

/** The first administrator, the group of superusers, and an initial API token. */
export const administrator: BootstrapStep = {
  name: 'administrator',
  // `recover-admin` is for lost passwords; running this again would overwrite it.
  isOnce: true,
  async prepare({ config, passwords }: World): Promise<FirstSecrets> {
    const password = config.bootstrap.password ?? randomText(24);
    return { password, passwordHash: await passwords.hash(password), token: config.bootstrap.token ?? randomText(60) };
  },
  async run({ ensure, tx, world: { clock, config, key, installId } }, prepared) {
    // What `prepare` returned.
    const { password, passwordHash, token } = prepared as FirstSecrets;
    const group = await ensure('svc_core.group', { name: 'Gatehouse Admins' }, { is_superuser: true });
    const email = config.bootstrap.email ?? 'root@example.com';
    const admin = await ensure(
      'svc_core.user',
      { username: 'admin' },
      { name: 'Gatehouse Default Admin', email, groups: [group] },
    );
    await sql`update users set password = ${passwordHash} where pk = ${admin}`.execute(tx);
    // The default address is a placeholder.
    if (config.bootstrap.email !== null)
      await recordEmailProof(tx, { email, by: 'administrator' }, Number(admin), clock.now());
    await issueToken(tx, key, {
      identifier: 'gatehouse-bootstrap-token',
      intent: 'api',
      user: Number(admin),
      key: token,
      description: 'Made at the first start',
      expires: null,
      managed: 'gatehouse/tokens/bootstrap',
    });
    // With a configured password the link is not needed, and its output might be collected.
    const { publicUrl } = config;
    const link =
      config.bootstrap.password === null
        ? await createFirstLoginLink(tx, key, { user: Number(admin), now: clock.now(), publicUrl })
        : null;
    printAccess(config, { password, token, link }, installId);
  },
};

/** Shown once, on the terminal only: neither stored in plain text nor logged. */
function printAccess(
  { bootstrap: given, publicUrl }: Config,
  { password, token, link }: { readonly password: string; readonly token: string; readonly link: string | null },
  installId: string,
): void {
  if (given.password !== null && given.token !== null) return;
  const lines = [
    '',
    `Gatehouse is set up (installation ${installId}). This is shown only once:`,
    `  address     ${publicUrl}/`,
    `  user name   admin`,
    ...(given.password === null ? [`  password    ${password}`] : []),
    ...(given.token === null ? [`  API token   ${token}`] : []),
    ...(link === null ? [] : ['', 'Sign in with this link, once and within an hour:', `  ${link}`]),
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
