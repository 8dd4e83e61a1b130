import type { ValueLabels } from '../../src/resource/document/json-schema.ts';
import { documentUnder } from '../../src/resource/document/openapi.ts';
import type { OpenApiDocument } from '../../src/resource/document/openapi-types.ts';
import { describe } from '../../web/admin/api/description.ts';
import { type Member, membersOf } from '../../web/admin/api/document.ts';
import { englishKind, englishOf, englishPart } from '../../web/admin/spelling.ts';
import type { AdminInterface, Permission } from '../../web/api/types.ts';
import type { TestServer } from '../support/server.ts';

/** Paths without a list that have a form. */
const lone = ['/admin/settings/', '/admin/server_settings/'];

/** Everything that the admin pages show of the server's declarations, with the place that each text comes from. */
export async function textsOfDeclarations({ app, admin, nobody }: TestServer): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const collect = (place: string) => (text: string) => {
    if (/\p{L}/u.test(text) && !found.has(text)) found.set(text, place);
    return text;
  };
  const collectChoices = (place: string, values: readonly unknown[] = [], labels?: ValueLabels) =>
    values.filter(isNamed).map((value) => collect(place)(englishOf(value, labels)));

  const document: OpenApiDocument = (await nobody.get('/schema/')).body;
  for (const path of [...Object.keys(document['x-resources']), ...lone]) {
    const part: unknown = documentUnder(document, path);
    const { filters, shown, creating, changing, actions } = describe(path, part as OpenApiDocument, collect(path));
    const entered = actions.flatMap(({ parameters, body, answer }) => [...parameters, ...body, ...answer]);
    for (const { name, choices, labels } of filters) collectChoices(`${path} ${name}`, choices, labels);
    for (const { name, schema, note } of [shown, creating ?? [], changing ?? [], entered].flat() satisfies Member[]) {
      collectChoices(`${path} ${name}`, [...(schema.enum ?? []), ...(schema.items?.enum ?? [])], note.labels);
      for (const one of membersOf(schema.items ?? {}, collect(path)))
        if (one.schema['x-field']) collectChoices(`${path} ${name}`, one.schema.enum, one.note.labels);
      // Languages have their own names.
      for (const { choices, areLanguages } of note.parts ?? []) if (!areLanguages) collectChoices(path, choices);
    }
    collect('the page of all kinds')(englishPart(path.split('/')[1] ?? ''));
  }
  const { properties = {} } = document.components.schemas.OAuth2ProviderSetupURLs ?? {};
  collectChoices('the addresses of an OAuth2 provider', Object.keys(properties));

  const { resources: entries, labels }: AdminInterface = (await admin.get('/admin/interface/')).body;
  const kindOf = (name: string) => englishKind(name, labels.kinds);
  Object.values(labels.event_actions).map(collect('actions of events'));
  for (const { path, singular, plural, description } of entries)
    [kindOf(singular), kindOf(plural), description].map(collect(path));
  for (const { names, path } of app.engine.registry.resources) collect(path)(kindOf(names[0]));
  for (const { name } of app.kinds.transports) collect('kinds of transports')(name);
  for (const { summary } of app.jobs.kinds.values()) collect('kinds of jobs')(summary);

  const permissions: Permission[] = (await admin.get('/rbac/permissions/?page_size=1000')).body.results;
  for (const { name, model_verbose } of permissions) {
    collect('models of permissions')(kindOf(model_verbose));
    const [, kind] = /^Can (?:add|change|delete|use|view secrets of|view) (.+)$/.exec(name) ?? [];
    if (!kind || !found.has(kindOf(kind))) collect('permissions')(name);
  }
  collectChoices('verbs of permissions', ['view', 'add', 'change', 'delete']);
  return found;
}

/** Countries are named by the browser; names of models, apps and algorithms are the same in all languages. */
const isNamed = (value: unknown): value is string =>
  typeof value === 'string' &&
  value !== '' &&
  !/^[A-Z]{2}$|^https?:|^svc[._](?!core\.auth|sources\.ldap\.auth)/.test(value);
