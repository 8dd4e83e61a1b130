import { sql } from 'kysely';
import type { Database, Query } from '../../platform/db/database.ts';
import { type SecretBox, sealContext } from '../../platform/keys.ts';
import type { SmtpServer } from '../../platform/mail/send-through.ts';

export const smtpSecurity = ['starttls', 'tls', 'none'] as const;

/** The public address and the mail server, as administrators set them. Empty texts: not set. */
export interface ServerSettings {
  readonly public_url: string;
  readonly smtp_host: string;
  readonly smtp_port: number;
  readonly smtp_security: (typeof smtpSecurity)[number];
  readonly smtp_username: string;
  readonly smtp_password: string;
  readonly smtp_from: string;
}

export const defaultServerSettings: ServerSettings = {
  public_url: '',
  smtp_host: '',
  smtp_port: 587,
  smtp_security: 'starttls',
  smtp_username: '',
  smtp_password: '',
  smtp_from: '',
};

export interface ServerSettingsStore {
  read(query: Query): Promise<ServerSettings>;
  /** The same with a lock, for an update. */
  readToChange(tx: Query): Promise<ServerSettings>;
  save(tx: Query, settings: ServerSettings): Promise<void>;
  /** The mail server that administrators set; null if there is none. */
  findMailServer(): Promise<SmtpServer | null>;
}

const timeoutMs = 15_000;
const passwordContext = sealContext('server_settings', 'smtp_password', 1);

export function createServerSettings(db: Database, box: SecretBox): ServerSettingsStore {
  async function read(query: Query): Promise<ServerSettings> {
    const { rows } = await sql<ServerSettings>`select public_url, smtp_host, smtp_port, smtp_security, smtp_username,
      smtp_password, smtp_from from server_settings where pk = 1`.execute(query);
    const [row] = rows;
    if (!row) return defaultServerSettings;
    return { ...row, smtp_password: row.smtp_password && box.open(row.smtp_password, passwordContext) };
  }

  return {
    read,
    async readToChange(tx) {
      await db.dialect.exclusive('server_settings')?.execute(tx);
      return read(tx);
    },
    async save(tx, { public_url, smtp_host, smtp_port, smtp_security, smtp_username, smtp_password, smtp_from }) {
      const password = smtp_password && box.seal(smtp_password, passwordContext);
      await sql`delete from server_settings where pk = 1`.execute(tx);
      await sql`insert into server_settings (pk, public_url, smtp_host, smtp_port, smtp_security, smtp_username,
          smtp_password, smtp_from)
        values (1, ${public_url}, ${smtp_host}, ${smtp_port}, ${smtp_security}, ${smtp_username}, ${password},
          ${smtp_from})`.execute(tx);
    },
    async findMailServer() {
      const { smtp_host: host, smtp_from: from, ...settings } = await read(db.read);
      if (host === '' || from === '') return null;
      return {
        host,
        port: settings.smtp_port,
        username: settings.smtp_username,
        password: settings.smtp_password,
        useTls: settings.smtp_security === 'starttls',
        useSsl: settings.smtp_security === 'tls',
        timeoutMs,
        from,
      };
    },
  };
}
