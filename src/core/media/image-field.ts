import { orNull, stringSchema } from '../../resource/document/json-schema.ts';
import { asStored, type Field } from '../../resource/fields/field.ts';
import { type TextOptions, text } from '../../resource/fields/text.ts';
import { imageAddressComplaint, imageUrl } from './image-address.ts';

/** An image that the `set_…` actions change; without one the fallback shows. */
export function image(fallback: string): Field<string>;
export function image(): Field<string | null>;
export function image(fallback: string | null = null): Field<string | null> {
  return {
    ...text({ readOnly: true, default: '' }),
    kind: 'image',
    holdsImage: true,
    orderable: false,
    schema: fallback === null ? orNull(stringSchema) : stringSchema,
    fromColumn: (raw, { publicHost }) => imageUrl(asStored(raw), publicHost) ?? fallback,
  };
}

/** The address of an image, which people enter or an upload sets. */
export const imageAddress = (fallback: string, options: TextOptions<false>): Field<string> => ({
  ...text({ ...options, default: fallback, check: imageAddressComplaint }),
  holdsImage: true,
  fromColumn: (raw, { publicHost }) => imageUrl(asStored(raw), publicHost) ?? fallback,
});
