import { sql } from 'kysely';
import type { Database, Query } from '../../platform/db/database.ts';
import { queryCache } from '../../platform/db/query-cache.ts';
import { statement } from '../../platform/db/statement.ts';

/** What an administrator can change at runtime. */
export interface Settings {
  readonly avatars: string;
  readonly default_user_change_name: boolean;
  readonly default_user_change_email: boolean;
  readonly default_user_change_username: boolean;
  readonly event_retention: string;
  readonly footer_links: readonly { readonly name: string; readonly href: string | null }[];
  readonly gdpr_compliance: boolean;
  readonly impersonation: boolean;
  readonly impersonation_require_reason: boolean;
  readonly default_token_duration: string;
  readonly default_token_length: number;
  readonly trust_administrator_emails: boolean;
  readonly shared_emails: boolean;
}

/** Shorter keys could be guessed. */
export const minKeyLength = 32;

export const defaultSettings: Settings = {
  avatars: 'initials',
  default_user_change_name: true,
  default_user_change_email: false,
  default_user_change_username: false,
  event_retention: 'days=365',
  footer_links: [],
  gdpr_compliance: true,
  impersonation: true,
  impersonation_require_reason: false,
  default_token_duration: 'days=1',
  default_token_length: 60,
  trust_administrator_emails: true,
  shared_emails: false,
};

export interface SettingsStore {
  /** The current settings, whichever instance changed them. */
  current(): Promise<Settings>;
  /** The settings as a transaction sees them. */
  read(query: Query): Promise<Settings>;
  /** The same with a lock, for an update. */
  readToChange(tx: Query): Promise<Settings>;
  save(tx: Query, settings: Settings): Promise<void>;
}

const cache = queryCache<Settings>('settings');

const selectSettings = statement<[], { values: string }>(() => sql`select "values" from settings where pk = 1`);

async function read(query: Query): Promise<Settings> {
  const [row] = await selectSettings(query);
  return { ...defaultSettings, ...(row && JSON.parse(row.values)) };
}

/** The current settings, whichever instance changed them. */
export const cachedSettings = (db: Database): Promise<Settings> => cache.read(db, 'all', read);

export function createSettingsStore(db: Database): SettingsStore {
  return {
    read,
    current: () => cachedSettings(db),
    async readToChange(tx) {
      await db.dialect.exclusive('settings')?.execute(tx);
      return read(tx);
    },
    async save(tx, settings) {
      const values = JSON.stringify(settings);
      const { avatars } = settings;
      // Copied to a column, so that queries on users need not parse the JSON.
      await sql`insert into settings (pk, "values", avatars) values (1, ${values}, ${avatars})
        on conflict (pk) do update set "values" = ${values}, avatars = ${avatars}`.execute(tx);
    },
  };
}
