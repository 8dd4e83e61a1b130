import { hash } from 'node:crypto';

/** The opaque id of a user for other systems; it never changes. */
export const uidOf = (pk: number, installId: string): string => hash('sha256', `${pk}-${installId}`);
