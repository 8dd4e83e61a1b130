import { outpostPath } from './proxy-model.ts';

/** On the hosts of applications. */
export const startPath = `${outpostPath}/start`;
export const callbackPath = `${outpostPath}/callback`;
export const signOutPath = `${outpostPath}/sign_out`;

/** At the address of this server. */
export const authorizePath = (slug: string): string => `/application/proxy/${slug}/authorize/`;
export const endPath = (slug: string): string => `/application/proxy/${slug}/end/`;
