import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

// Two folders up from here, and from the bundle as well.
const root = fileURLToPath(new URL('../../web/static/', import.meta.url));

/** The images that objects show before anybody gives them their own. */
export async function mountStaticFiles(app: FastifyInstance): Promise<void> {
  await app.register(fastifyStatic, { root, prefix: '/static/', index: false, decorateReply: false, maxAge: '1h' });
}
