import type { App } from '../src/app/compose.ts';
import type { World } from '../src/app/world.ts';
import type { Query } from '../src/platform/db/database.ts';
import type { Row } from '../src/resource/fields/field.ts';

/** What the functions that fill a database with rows need. */
export interface Loading {
  readonly world: World;
  readonly app: App;
  readonly tx: Query;
  /** Makes an object as a request would, without an event; null when there is no such resource. */
  make(model: string, body: Row): Promise<string | number | null>;
}
