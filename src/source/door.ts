import type { Call } from '../resource/call.ts';
import type { Fields, Row } from '../resource/fields/field.ts';
import type { JsonSchema } from '../resource/json-schema.ts';
import type { Registry } from '../resource/registry.ts';
import type { Arrival } from './sign-in.ts';
import type { SourceRow } from './source.family.ts';

/** How people show, on a screen of a flow, who they are at a source of one kind. */
export interface SourceDoor {
  readonly model: string;
  /** Names the screen. */
  readonly component: string;
  readonly members: Readonly<Record<string, JsonSchema>>;
  /** What the screen is told. */
  challenge(source: SourceRow): Row;
  readonly answer: Fields;
  /** Who answers, if the source lets them in. Throws `Problem` or `Invalid` with words for the person. */
  arrive(source: SourceRow, answer: Row, registry: Registry, call: Call): Promise<Arrival>;
}
