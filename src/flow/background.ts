import { imageUrl } from '../core/media/image-address.ts';

export const defaultBackground = '/static/flow-background.svg';

/** The URL of a flow's background image. */
export const backgroundOf = (stored: string, publicHost: string): string =>
  imageUrl(stored, publicHost) ?? defaultBackground;
