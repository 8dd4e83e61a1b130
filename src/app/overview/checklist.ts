import { sql } from 'kysely';
import { isLoopback } from '../../platform/config-values.ts';
import type { Query } from '../../platform/db/database.ts';
import type { Mailer } from '../../platform/mail/mailer.ts';
import type { Actor } from '../../resource/access/actor.ts';

/** What a new server still lacks, in the order in which it is best done. */
export const checklistSteps = [
  'password',
  'second_factor',
  'public_address',
  'mail',
  'application',
  'second_administrator',
  'backup',
] as const;
export type ChecklistStep = (typeof checklistSteps)[number];

export interface ChecklistItem {
  readonly name: ChecklistStep;
  readonly is_done: boolean;
  readonly is_dismissed: boolean;
}

interface Dependencies {
  readonly config: {
    readonly publicUrl: string;
    readonly bootstrap: { readonly password: string | null };
  };
  readonly mailer: Pick<Mailer, 'isReady'>;
}

interface Facts {
  /** Expressions have no type in SQLite, which returns numbers. */
  readonly has_own_password: unknown;
  readonly has_device: unknown;
  readonly has_application: unknown;
  readonly administrators: number | string;
  readonly last_backup: string | null;
}

/** The checklist for one superuser. The first two items are about their own account, the others about the server. */
export async function checklistFor(
  { user }: Actor,
  query: Query,
  { config, mailer }: Dependencies,
): Promise<ChecklistItem[]> {
  const { rows } = await sql<Facts>`select
    exists (select 1 from users where pk = ${user.pk} and password_change_date > date_joined) as has_own_password,
    exists (select 1 from devices where "user" = ${user.pk} and confirmed) as has_device,
    exists (select 1 from applications) as has_application,
    (select count(distinct u.pk) from groups g cross join group_ancestors a cross join user_groups ug cross join users u
      where g.is_superuser and a.ancestor = g.pk and ug."group" = a."group" and u.pk = ug."user"
        and u.is_active and u.type in ('internal', 'external')) as administrators,
    (select last_backup from install) as last_backup`.execute(query);
  const dismissed = await sql<{ name: string }>`select name from user_dismissals where "user" = ${user.pk}`.execute(
    query,
  );
  const names = new Set(dismissed.rows.map(({ name }) => name));
  const [facts] = rows;
  const done: Record<ChecklistStep, boolean> = {
    // A password from the environment was chosen by the operator.
    password: Boolean(facts?.has_own_password) || config.bootstrap.password !== null,
    second_factor: Boolean(facts?.has_device),
    public_address: !isLoopback(new URL(config.publicUrl).hostname),
    mail: await mailer.isReady(),
    application: Boolean(facts?.has_application),
    second_administrator: Number(facts?.administrators) > 1,
    backup: facts?.last_backup != null,
  };
  return checklistSteps.map((name) => ({ name, is_done: done[name], is_dismissed: names.has(name) }));
}

/** Stores which items a user has dismissed. */
export async function saveDismissed(tx: Query, user: number, names: readonly string[]): Promise<void> {
  await sql`delete from user_dismissals where "user" = ${user}`.execute(tx);
  for (const name of new Set(names))
    await sql`insert into user_dismissals ("user", name) values (${user}, ${name})`.execute(tx);
}
