import { sql } from 'kysely';
import { originsOf, type PageNeeds } from '../../../flow/page-needs.ts';
import type { Query } from '../../../platform/db/database.ts';

/** Services whose scripts load more from other origins. */
const companions: Readonly<Record<string, readonly string[]>> = {
  'www.google.com': ['https://www.gstatic.com'],
  'www.recaptcha.net': ['https://www.gstatic.com', 'https://www.google.com'],
  'js.hcaptcha.com': ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
  'hcaptcha.com': ['https://*.hcaptcha.com'],
};

/** The origins of the scripts that these stages load. */
export async function captchaOrigins(stages: readonly string[], query: Query): Promise<PageNeeds> {
  const { rows } = await sql<{ js_url: string }>`select js_url from stage_captcha
    where pk in (${sql.join(stages)})`.execute(query);
  const origins = rows.flatMap(({ js_url }) => originsOf(js_url));
  return { services: origins.flatMap((origin) => [origin, ...(companions[new URL(origin).hostname] ?? [])]) };
}
