import { imageUrl } from '../core/media/image-address.ts';

export const defaultBackground = '/static/flow-background.svg';

/** The address of a flow's background, wherever it is shown. */
export const backgroundOf = (stored: string, publicHost: string): string =>
  imageUrl(stored, publicHost) ?? defaultBackground;
