import { sql } from 'kysely';
import type { DirectoryVerdict, PasswordBackend } from '../../../../flow/passwords/password-backend.ts';
import { createRateLimit } from '../../../../platform/limits/rate-limit.ts';
import type { Passwords } from '../../../../platform/passwords.ts';
import type { Call } from '../../../../resource/call.ts';
import { modelFacts } from '../../../../resource/write/audit.ts';
import { DirectoryError } from '../client/directory-error.ts';
import type { LdapSource } from '../ldap-model.ts';
import { unusablePassword } from '../sync/account-state.ts';
import { changePassword } from './change-password.ts';
import { isAnySourceInUse, type OwnSource, ownSources, type PasswordNeeds, withOwnEntry } from './own-entry.ts';

const hourMs = 60 * 60_000;

/** The passwords that users have in the directories they come from. */
export function ldapPasswords(needs: PasswordNeeds & { readonly passwords: Passwords }): PasswordBackend {
  // Everybody who signs in meets the same trouble.
  const reports = createRateLimit({ max: 1, windowMs: hourMs });

  async function report(source: LdapSource, what: 'checking' | 'changing', message: string, call: Call): Promise<void> {
    if (reports.waitAfter(`${source.pk} ${what}`) > 0) return;
    const context = { message, source: modelFacts(needs.resource, source.pk, source) };
    await call.db.write((tx) =>
      call.world.record(tx, call, { action: 'configuration_error', app: 'svc_sources_ldap', context }),
    );
  }

  async function verifyAt(own: OwnSource, user: number, password: string, call: Call): Promise<DirectoryVerdict> {
    try {
      const isRight = await withOwnEntry(needs, own, call, async (directory, dn) => {
        if (dn === null || dn === '') return false;
        try {
          await directory.connection.bind(dn, password, 5_000);
          return true;
        } catch (error) {
          // Any other result is the directory's refusal of this user: a locked account, or an expired password.
          if (error instanceof DirectoryError && error.reason !== 'unreachable' && !isTrouble(error.code)) return false;
          throw error;
        }
      });
      return isRight ? await accepted(own.source, user, password, call.now) : { outcome: 'wrong' };
    } catch (error) {
      if (!(error instanceof DirectoryError)) throw error;
      await report(
        own.source,
        'checking',
        `The directory of ${own.source.name} cannot check passwords: ${error.message}`,
        call,
      );
      return { outcome: 'unavailable' };
    }
  }

  /**
   * Where set so, the password is stored here too. Otherwise one that was stored here before the directory got another
   * one ends, if both are to be the same.
   */
  async function accepted(source: LdapSource, user: number, password: string, now: string): Promise<DirectoryVerdict> {
    const { password_login_update_internal_password: isStored, sync_users_password: areSame } = source;
    const hash = isStored ? await needs.passwords.hash(password) : null;
    return {
      outcome: 'right',
      stored: isStored ? now : null,
      async after(tx) {
        if (hash !== null)
          await sql`update users set password = ${hash}, password_change_date = ${now} where pk = ${user}`.execute(tx);
        else if (areSame) await sql`update users set password = ${unusablePassword} where pk = ${user}`.execute(tx);
      },
    };
  }

  return {
    isInUse: isAnySourceInUse,
    async verify({ pk }, password, call) {
      let last: DirectoryVerdict = { outcome: 'not theirs' };
      for (const own of await ownSources(needs, pk, call)) {
        const verdict = await verifyAt(own, pk, password, call);
        if (verdict.outcome === 'right') return verdict;
        if (last.outcome !== 'unavailable') last = verdict;
      }
      return last;
    },
    async change(user, password, call) {
      for (const own of await ownSources(needs, user, call)) {
        if (!own.source.sync_users_password) continue;
        try {
          await withOwnEntry(needs, own, call, (directory, dn) => changePassword(directory, dn, password));
        } catch (error) {
          if (!(error instanceof DirectoryError)) throw error;
          await report(
            own.source,
            'changing',
            `Failed to change password in LDAP source due to remote error: ${error.message}`,
            call,
          );
          return error.reason === 'unreachable'
            ? 'Failed to set password: the directory cannot be reached. The password has not been changed.'
            : 'Failed to set password: the directory does not accept it.';
        }
      }
      return null;
    },
  };
}

/** Busy, unavailable, or a bind that the server wants to be encrypted: nothing that the user could do better. */
const isTrouble = (code: number | null): boolean => code !== null && [1, 2, 7, 8, 13, 51, 52, 80].includes(code);
