import type { Field } from './field.ts';
import { type JsonOptions, json } from './structured.ts';
import { type TextOptions, text } from './text.ts';

/** Text that is encrypted in the database and masked in events. */
export function secret(options: TextOptions = {}): Field {
  return sealed(text(options));
}

/** JSON that is encrypted in the database and masked in events. */
export function secretJson(options: JsonOptions = {}): Field {
  const plain = json(options);
  return { ...sealed(plain), storage: { in: 'column', type: 'text' } };
}

function sealed(plain: Field): Field {
  return {
    ...plain,
    kind: 'secret',
    secret: true,
    orderable: false,
    filter: false,
    toColumn(value, world, context) {
      const column = plain.toColumn(value, world, context) as string | null;
      return column === null || column === '' ? column : world.seal(column, context);
    },
    fromColumn(raw, world, context) {
      if (raw === null || raw === '') return raw;
      return plain.fromColumn(world.open(raw as string, context), world, context, false);
    },
  };
}
