import { imageUrl } from '../core/media/image-field.ts';

export const defaultBackground = '/static/flow-background.svg';

/** The address of a flow's background, wherever it is shown. */
export const backgroundOf = (stored: string): string => imageUrl(stored) ?? defaultBackground;
