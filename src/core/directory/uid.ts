import { hash } from 'node:crypto';

/** The opaque id of a user that other systems are told; it never changes. */
export const uidOf = (pk: number, installId: string): string => hash('sha256', `${pk}-${installId}`);
