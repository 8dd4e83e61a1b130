import { asStored, type Field, type Null } from './field.ts';
import { type JsonOptions, type JsonValue, json } from './structured.ts';
import { type TextOptions, text } from './text.ts';

interface SecretOptions<N extends boolean> extends TextOptions<N> {
  /** The members that say where it is sent. */
  readonly sentTo?: readonly string[];
}

/** Text that is encrypted in the database and masked in events. */
export function secret<N extends boolean = false>(options: SecretOptions<N> = {}): Field<string | Null<N>> {
  return { ...sealed(text(options)), sentTo: options.sentTo ?? [] };
}

/** JSON that is encrypted in the database and masked in events. */
export function secretJson<A extends boolean = false>(options: JsonOptions<A, false>): Field<JsonValue<A>> {
  const plain = json(options);
  return { ...sealed(plain), storage: { in: 'column', type: 'text' } };
}

function sealed<T>(plain: Field<T>): Field<T> {
  return {
    ...plain,
    kind: 'secret',
    secret: true,
    orderable: false,
    filter: false,
    toColumn(value, world, context) {
      const column = plain.toColumn(value, world, context);
      return typeof column === 'string' && column !== '' ? world.seal(column, context) : column;
    },
    fromColumn(raw, world, context) {
      if (typeof raw !== 'string' || raw === '') return asStored(raw);
      return plain.fromColumn(world.open(raw, context), world, context, false);
    },
  };
}
