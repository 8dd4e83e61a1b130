import { sql } from 'kysely';
import { Invalid } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import type { Reach } from '../../resource/access/reach.ts';
import type { Call } from '../../resource/call.ts';
import { actionOn } from '../../resource/define.ts';
import type { Row } from '../../resource/fields/field.ts';
import { text } from '../../resource/fields/text.ts';
import type { Action, ActionInput, AfterWrite } from '../../resource/resource.ts';
import { diffOf, recordWrite } from '../../resource/write/audit.ts';
import { imageAddressComplaint, ownRouteComplaint } from './image-address.ts';
import { type ImageType, imageTypeOf } from './image-type.ts';
import { releaseMedia, saveMedia } from './media-store.ts';

export interface ImageActionOptions {
  readonly model: string;
  /** A column of an `image` field. */
  readonly column: string;
  /** Names the actions: `set_<field>`, `set_<field>_url`. */
  readonly field: string;
  /** What people call it; by default the field's name. */
  readonly title?: string;
  /** The address when it is cleared; by default none. */
  readonly fallback?: string;
  readonly reaches?: Reach;
}

type KeyedRow = Row & { pk: string | number };

/** Sets an object's image by upload. */
export function uploadAction(options: ImageActionOptions): Action<KeyedRow> {
  const { field, title = field, fallback = '', reaches } = options;
  return actionOn<KeyedRow>()({
    name: `set_${field}`,
    on: 'row',
    method: 'POST',
    page: { noButton: 'The form of an object uploads it.' },
    summary: `Upload the ${title}, or clear it`,
    access: 'change',
    ...(reaches && { reaches }),
    upload: true,
    answer: { status: 200 },
    prepare: ({ call }) => readImage(call),
    async run(input) {
      const image = input.prepared;
      const url = image ? await saveMedia(input.tx, image.bytes, image.type, input.call.now) : fallback;
      await store(input, options, url);
    },
  });
}

/** Set an object's image by upload or by address. */
export function imageActions(options: ImageActionOptions): Action<KeyedRow>[] {
  const { field } = options;
  const setAddress = actionOn<KeyedRow>()({
    name: `set_${field}_url`,
    on: 'row',
    method: 'POST',
    page: { noButton: 'The form of an object sets it beside the upload.' },
    summary: `Set the address of the ${field}`,
    access: 'change',
    body: {
      url: text({
        max: 2048,
        check: imageAddressComplaint,
        help: 'Where the image is: an address or a path on this server.',
      }),
    },
    bodySchema: 'FilePathRequest',
    answer: { status: 200 },
    async run(input) {
      const { url } = input.values;
      const complaint = await ownRouteComplaint(url, input.call.world.publicHost, input.tx);
      if (complaint) throw Invalid.field('url', complaint);
      await store(input, options, url);
    },
  });
  return [uploadAction(options), setAddress];
}

/** For the `afterWrite` of a resource with an image: deletes an upload that no object uses any more. */
export async function releaseImage(column: string, input: AfterWrite): Promise<void> {
  const { verb, tx, registry, current, values, pk } = input;
  if (verb === 'destroy') await releaseMedia(tx, registry, current?.[column], pk);
  else if (current && current[column] !== values[column]) await releaseMedia(tx, registry, current[column]);
}

interface UploadedImage {
  readonly bytes: Buffer;
  readonly type: ImageType;
}

async function readImage(call: Call): Promise<UploadedImage | null> {
  const upload = await call.upload();
  if (/^(true|1|on|yes)$/i.test(upload?.fields.clear ?? '')) return null;
  const bytes = upload?.bytes;
  if (!bytes || bytes.length === 0) throw Invalid.field('file', 'No file was submitted.');
  const type = imageTypeOf(bytes);
  if (!type) throw Invalid.field('file', 'Upload a PNG, JPEG, GIF, WebP, ICO or SVG image.');
  return { bytes, type };
}

async function store(
  { call, registry, row, tx }: Pick<ActionInput<KeyedRow>, 'call' | 'registry' | 'row'> & { readonly tx: Query },
  { model, column }: ImageActionOptions,
  url: string,
): Promise<void> {
  const resource = registry.require(model);
  const { pk } = row;
  await sql`update ${sql.table(resource.rootTable)} set ${sql.ref(column)} = ${url} where pk = ${pk}`.execute(tx);
  if (row[column] !== url) await releaseMedia(tx, registry, row[column]);
  const kind = typeof row.kind === 'string' ? (registry.find(row.kind) ?? resource) : resource;
  const diff = diffOf(resource, row, { [column]: url });
  await recordWrite('model_updated', { resource: kind, pk, values: row, diff, call, tx });
}
