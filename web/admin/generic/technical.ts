import type { Member } from '../api/document.ts';

/** Generated keys and members for programs. */
export const isTechnical = ({ name, note, schema }: Member): boolean =>
  /^(pk|uid|num_pk|managed|component|meta_model_name|export_url|full_name|assigned_\w*application_slug|\w+_download_url)$/.test(
    name,
  ) ||
  (schema.readOnly === true && schema.format === 'uuid' && note.kind === 'text') ||
  (schema.readOnly === true && note.kind === 'json' && name === 'type');
