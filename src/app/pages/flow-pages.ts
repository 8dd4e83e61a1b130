import { sql } from 'kysely';
import { findBrandOfHost } from '../../core/brand/brand-of-host.ts';
import { flowPage } from '../../flow/executor/challenge.ts';
import type { Query } from '../../platform/db/database.ts';
import { isStorable } from '../../resource/fields/well-formed.ts';
import { type Foreign, nothingForeign } from './shell.ts';

export interface FlowPageFacts {
  readonly exists: boolean;
  readonly foreign: Foreign;
  /** Whether somebody can sign in with a media server from here. */
  readonly asksMediaServer: boolean;
}

interface FlowRow {
  readonly designation: string;
  readonly js_url: string | null;
  readonly media_sources: number | string;
}

/** Whether there is such a flow, and what its steps need from elsewhere: a captcha's script, a media server's answer. */
export async function factsOfFlowPage(slug: string, query: Query, mediaApi: string): Promise<FlowPageFacts> {
  const rows = isStorable(slug) ? await flowRows(slug, query) : [];
  const services = rows.flatMap(({ js_url }) => originsOfCaptcha(js_url));
  const asksMediaServer = rows.some((row) => Number(row.media_sources) > 0);
  const foreign: Foreign = {
    services: [...new Set(services)],
    connections: asksMediaServer ? originOf(mediaApi) : nothingForeign.connections,
    // Applications are answered by a form that is sent to them.
    forms: rows.some(({ designation }) => designation === 'authorization'),
  };
  return { exists: rows.length > 0, foreign, asksMediaServer };
}

/** One row for each captcha of the flow, or one without. */
async function flowRows(slug: string, query: Query): Promise<FlowRow[]> {
  const { rows } = await sql<FlowRow>`select f.designation, c.js_url,
    (select count(*) from flow_stage_bindings b
      join (select stage, source from stage_identification_sources union all select pk, source from stage_source) as s
        on s.stage = b.stage
      join source_mediasrc m on m.pk = s.source where b.target = f.pk) as media_sources
    from flows f
    left join (flow_stage_bindings b join stage_captcha c on c.pk = b.stage) on b.target = f.pk
    where f.slug = ${slug}`.execute(query);
  return rows;
}

/** Services whose scripts load more from elsewhere. */
const companions: Readonly<Record<string, readonly string[]>> = {
  'www.google.com': ['https://www.gstatic.com'],
  'www.recaptcha.net': ['https://www.gstatic.com', 'https://www.google.com'],
  'js.hcaptcha.com': ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
  'hcaptcha.com': ['https://*.hcaptcha.com'],
};

function originsOfCaptcha(address: string | null): string[] {
  const origins = originOf(address);
  return origins.flatMap((origin) => [origin, ...(companions[new URL(origin).hostname] ?? [])]);
}

/** An origin is safe to write into a policy; what has none is left out. */
function originOf(address: string | null): string[] {
  const url = address === null ? null : URL.parse(address);
  return url && /^https?:$/.test(url.protocol) ? [url.origin] : [];
}

/** Where people sign in who come by this host: with its brand's flow, or with the first that is made for it. */
export async function signInPath(host: string, query: Query, next: string | null): Promise<string> {
  const brand = await findBrandOfHost(host, query);
  const { rows } = await sql<{ slug: string }>`select f.slug from flows f
    left join brands b on b.flow_authentication = f.pk and b.pk = ${brand?.pk ?? null}
    where b.pk is not null or f.designation = 'authentication'
    order by b.pk is null, f.slug limit 1`.execute(query);
  return flowPage(rows[0]?.slug ?? 'default-authentication-flow', next);
}
