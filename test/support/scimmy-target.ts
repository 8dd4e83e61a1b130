import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import scimmy from 'scimmy';
import ScimmyRouters from 'scimmy-routers';
import { randomUuid } from '../../src/platform/random.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into documents freely
export type Document = any;

export interface ScimmyTarget {
  readonly url: string;
  readonly users: Map<string, Document>;
  readonly groups: Map<string, Document>;
  /** `POST /Users` and so on, in the order in which they came. */
  readonly requests: { readonly method: string; readonly path: string }[];
  close(): Promise<void>;
}

interface Stores {
  readonly User: Map<string, Document>;
  readonly Group: Map<string, Document>;
}

export const targetToken = 'the-token-of-a-scim-target';

type Kind = keyof Stores;
const unique = { User: 'userName', Group: 'displayName' } as const;

/** The library holds its resource types for the whole process; which target a request is for, its context says. */
function declare(kind: Kind): void {
  const storeOf = (stores: Stores) => stores[kind];
  scimmy.Resources.declare(scimmy.Resources[kind], {
    egress(resource: Document, stores: Stores) {
      const store = storeOf(stores);
      if (!resource.id) return [...store.values()];
      const found = store.get(resource.id);
      if (!found) throw new scimmy.Types.Error(404, '', `Resource ${resource.id} not found`);
      return found;
    },
    ingress(resource: Document, data: Document, stores: Stores) {
      const store = storeOf(stores);
      const name = data[unique[kind]];
      const other = [...store.values()].find((one) => one[unique[kind]] === name);
      if (other && other.id !== resource.id) throw new scimmy.Types.Error(409, 'uniqueness', `${name} exists`);
      if (resource.id && !store.has(resource.id)) throw new scimmy.Types.Error(404, '', 'not found');
      const id = resource.id ?? randomUuid();
      const saved = { ...JSON.parse(JSON.stringify(data)), id };
      store.set(id, saved);
      return saved;
    },
    degress(resource: Document, stores: Stores) {
      if (!storeOf(stores).delete(resource.id)) throw new scimmy.Types.Error(404, '', 'not found');
    },
  } as Document);
}

let isDeclared = false;

/** A SCIM server that others wrote: `scimmy` behind `scimmy-routers`. */
export async function startScimmy(): Promise<ScimmyTarget> {
  if (!isDeclared) {
    declare('User');
    declare('Group');
    scimmy.Config.set({ patch: true, filter: { supported: true, maxResults: 200 } });
    isDeclared = true;
  }
  const stores: Stores = { User: new Map(), Group: new Map() };
  const requests: ScimmyTarget['requests'] = [];
  const app = express();
  app.use((request: Document, _: Document, next: () => void) => {
    requests.push({ method: request.method, path: request.path });
    next();
  });
  const router = new ScimmyRouters({
    type: 'bearer',
    handler: (request: Document) => {
      if (request.header('Authorization') !== `Bearer ${targetToken}`) throw new Error('not this token');
      return 'gatehouse';
    },
    context: () => stores,
  } as Document);
  app.use('/scim', router as Document);
  const server: Server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/scim`,
    users: stores.User,
    groups: stores.Group,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
