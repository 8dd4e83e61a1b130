/** A value as text if it is one. Objects may have any members: `String` would throw for one that has `toString`. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
