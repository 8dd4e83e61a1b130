import { t } from '../../texts/texts.ts';
import type { ResourceEntry } from '../api/interface.ts';
import { EventRows } from '../parts/event-rows.tsx';

/** The events about an object, newest first. */
export function Changes({ entry, pk }: { entry: ResourceEntry; pk: string }) {
  const [app = '', model = ''] = entry.model.split('.');
  const query = { context_model_app: app, context_model_name: model, context_model_pk: pk.replaceAll('-', '') };
  return <EventRows query={query} none={t('No changes are recorded.')} />;
}
