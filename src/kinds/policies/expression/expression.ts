import type { Settings, SettingsStore } from '../../../core/settings/settings.ts';
import { brandFlows } from '../../../flow/brand-flows.ts';
import type { Json } from '../../../lib/json.ts';
import { verbatim } from '../../../lib/texts/message.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Geo } from '../../../platform/geo/geo.ts';
import { BudgetSpent } from '../../../platform/sandbox/budget.ts';
import type { Context, Sandbox } from '../../../platform/sandbox/sandbox.ts';
import { definePolicyKind, type PolicyKind } from '../../../policy/kind.ts';
import type { PolicyRequest } from '../../../policy/request.ts';
import type { NewEvent } from '../../../resource/call.ts';
import { eventWriter } from './create-event.ts';
import { expressionPolicy } from './expression.resource.ts';

interface Dependencies {
  readonly db: Database;
  readonly sandbox: Sandbox;
  readonly settings: SettingsStore;
  readonly geo: Geo;
}

export function expressions({ db, sandbox, settings, geo }: Dependencies): PolicyKind {
  return definePolicyKind({
    resource: expressionPolicy({ sandbox }),
    constantResult: ({ expression }) => constantOf(expression),
    async evaluate({ expression }, request) {
      const events: NewEvent[] = [];
      // Looked up only on demand: few expressions use it, and not every database allows caching it.
      const brand = /\bbrand\b/.test(expression) ? { ...(await brandFlows(db, request.http.host)) } : null;
      const result = sandbox.run(expression, {
        globals: globalsOf(request, await settings.current(), geo, brand),
        functions: { create_event: eventWriter(events) },
      });
      if (!result.ok) throw result.isBudgetSpent ? new BudgetSpent(result.error) : new Error(result.error);
      return { passing: isTruthy(result.value), messages: result.messages.map(verbatim), logs: result.logs, events };
    },
  });
}

/** The value of an expression that consists of `return true` or `return false` and comments. */
function constantOf(expression: string): boolean | null {
  const code = expression.replaceAll(/\/\/.*$/gm, '').trim();
  const [, value] = /^return\s+(true|false)\s*;?$/.exec(code) ?? [];
  return value === undefined ? null : value === 'true';
}

/** The global variables of an expression. */
function globalsOf(
  { user, context, http, obj, clientIp }: PolicyRequest,
  settings: Settings,
  geo: Geo,
  brand: Json,
): Context['globals'] {
  const facts = user;
  const known = context;
  const http_request = { ...http };
  const { default_user_change_name, default_user_change_email, default_user_change_username } = settings;
  return {
    request: { user: facts, context: known, http_request, obj },
    user: facts,
    context: known,
    http_request,
    client_ip: clientIp,
    // Functions: few expressions use these, and the lookup is slow.
    geoip: () => geo.locate(clientIp),
    asn: () => geo.network(clientIp),
    brand,
    is_sso: known.is_sso === true,
    settings: { default_user_change_name, default_user_change_email, default_user_change_username },
  };
}

/** Empty lists and objects are falsy: a search that found nothing does not pass. */
function isTruthy(value: Json): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}
