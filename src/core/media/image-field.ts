import { asStored, type Field } from '../../resource/fields/field.ts';
import { type TextOptions, text } from '../../resource/fields/text.ts';
import { orNull, stringSchema } from '../../resource/json-schema.ts';
import { mediaPrefix } from './media-store.ts';

/** The URL of a stored image: URLs and paths stay as they are, a bare name is an upload; null if there is none. */
export function imageUrl(stored: string | null): string | null {
  if (!stored) return null;
  return stored.startsWith('/') || stored.startsWith('http') ? stored : mediaPrefix + stored;
}

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
    fromColumn: (raw) => imageUrl(asStored(raw)) ?? fallback,
  };
}

/** The address of an image, which people enter or an upload sets. */
export const imageAddress = (options: TextOptions<false>): Field<string> => ({
  ...text({ ...options, check: imageAddressComplaint }),
  holdsImage: true,
});

/** Checks an address that pages will show as an image. Only web addresses and our own files are allowed. */
export function imageAddressComplaint(address: string): string | null {
  const complaint = 'Enter an http or https URL, or a path that starts with /static/ or /media/.';
  const url = URL.parse(address, 'http://this.invalid');
  if (!url) return complaint;
  if (/^https?:\/\//i.test(address)) return url.hostname === '' ? complaint : null;
  // The browser's normalized path must be the path itself: no dot segments, no backslashes.
  const isOwn = /^\/(static|media)\//.test(address) && url.pathname === address && !/%2e|%2f|%5c/i.test(address);
  return isOwn ? null : complaint;
}
