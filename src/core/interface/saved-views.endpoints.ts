import { requireActor } from '../../resource/call.ts';
import { defineEndpoint, type Endpoint } from '../../resource/endpoint.ts';
import { list } from '../../resource/fields/structured.ts';
import { text } from '../../resource/fields/text.ts';
import { createSavedView, deleteSavedView, savedViewSchema, updateSavedView } from './saved-views.ts';

const body = {
  list: text({ max: 200, help: 'The path of the list, such as `/core/users/`.' }),
  name: text({ max: 100, help: 'What the view is called.' }),
  query: text({ blank: true, default: '', max: 2_000, help: 'Search, filters and order, as a query.' }),
  columns: list(text({ max: 100, help: 'The name of a member.' }), {
    nullable: true,
    default: null,
    max: 100,
    help: 'The columns; null for the usual ones.',
  }),
};

const bodySchema = 'SavedViewRequest';
const params = { view_uuid: { type: 'string', format: 'uuid' } } as const;

/** Views of lists that users save for themselves. `/admin/interface/` has those of the caller. */
export const savedViewEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    id: 'admin_views_create',
    method: 'POST',
    path: '/admin/views/',
    summary: 'Save what a list shows under a name, for yourself',
    access: 'authenticated',
    body,
    bodySchema,
    answer: { status: 201, schema: savedViewSchema, schemaName: 'SavedView' },
    run: ({ call, tx, values }) => createSavedView(tx, requireActor(call).user.pk, values),
  }),
  defineEndpoint({
    id: 'admin_views_update',
    method: 'PUT',
    path: '/admin/views/{view_uuid}/',
    summary: 'Change a saved view of your own',
    access: 'authenticated',
    params,
    body,
    bodySchema,
    answer: { status: 200, schema: { $ref: '#/components/schemas/SavedView' } },
    run: ({ call, tx, values }) => updateSavedView(tx, requireActor(call).user.pk, call.params.view_uuid ?? '', values),
  }),
  defineEndpoint({
    id: 'admin_views_destroy',
    method: 'DELETE',
    path: '/admin/views/{view_uuid}/',
    summary: 'Delete a saved view of your own',
    access: 'authenticated',
    params,
    answer: { status: 204 },
    run: ({ call, tx }) => deleteSavedView(tx, requireActor(call).user.pk, call.params.view_uuid ?? ''),
  }),
];
