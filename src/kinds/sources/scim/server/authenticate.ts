import { sql } from 'kysely';
import { type ActorRow, actorColumns } from '../../../../core/access/actor.ts';
import { actingAs } from '../../../../core/access/impersonation-guard.ts';
import type { Database } from '../../../../platform/db/database.ts';
import { statement } from '../../../../platform/db/statement.ts';
import type { InstanceKey } from '../../../../platform/keys.ts';
import { createSharedNetworkLimit } from '../../../../platform/limits/shared-rate-limit.ts';
import type { Call } from '../../../../resource/call.ts';
import { isStorable } from '../../../../resource/fields/well-formed.ts';
import type { SourceRow } from '../../../../source/source.family.ts';
import { ScimError } from '../protocol/scim-error.ts';

export interface ScimSource extends Readonly<Pick<SourceRow, 'pk' | 'slug' | 'name' | 'user_path_template'>> {
  readonly manages_privileged: boolean;
  readonly trust_emails: boolean;
}

interface TokenRow extends Omit<ActorRow, 'is_superuser'> {
  readonly source: string;
  readonly source_name: string;
  readonly user_path_template: string;
  readonly manages_privileged: unknown;
  readonly trust_emails: unknown;
  readonly expiring: boolean;
  readonly expires: string | null;
}

const sourceOfToken = statement<[slug: string, hash: string], TokenRow>(
  (slug, hash) => sql`select ${actorColumns}, s.pk as source, s.name as source_name, s.user_path_template,
      c.manages_privileged, c.trust_emails, t.expiring, t.expires
    from tokens t join source_scim c on c.token = t.pk join sources s on s.pk = c.pk join users u on u.pk = t."user"
    where s.slug = ${slug} and t.key_hash = ${hash} and t.intent = 'api' and s.enabled and u.is_active`,
);

/** As many as the API lets one network make without signing in. */
const limit = { max: 1_000, windowMs: 60_000 };

export type Authenticate = (call: Call, slug: string) => Promise<{ readonly source: ScimSource; readonly call: Call }>;

/**
 * Finds the source by its own token, and by nothing else. A source that is not there, one that is disabled and a wrong
 * token are refused alike.
 */
export function createAuthenticate(key: Pick<InstanceKey, 'hash'>, db: Database): Authenticate {
  const failures = createSharedNetworkLimit({ db, name: 'scim failures', ...limit });
  return async (call, slug) => {
    const token = /^bearer +(\S+) *$/i.exec(call.request.header('authorization') ?? '')?.[1];
    const [row] = token && isStorable(slug) ? await sourceOfToken(call.db.read, slug, key.hash(token)) : [];
    const hasExpired = row?.expiring && (row.expires === null || row.expires <= call.now);
    if (row && !hasExpired) {
      const { source: pk, source_name: name, user_path_template, attributes, ...account } = row;
      call.world.raiseBudget();
      const [manages_privileged, trust_emails] = [Boolean(row.manages_privileged), Boolean(row.trust_emails)];
      const user = { ...account, attributes: JSON.parse(attributes), is_superuser: false };
      return {
        source: { pk, slug, name, user_path_template, manages_privileged, trust_emails },
        call: actingAs(call, user),
      };
    }
    if (failures.waitAfter(call.request.clientIp) > 0) throw new ScimError(429, 'Too many failed requests.');
    throw new ScimError(401, 'The bearer token is missing, or is not the token of this source.');
  };
}
