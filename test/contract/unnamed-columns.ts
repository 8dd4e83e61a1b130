import type { ColumnMetadata } from 'kysely';
import type { World } from '../../src/app/world.ts';
import { randomUuid } from '../../src/platform/random.ts';
import type { Row } from '../../src/resource/fields/field.ts';

/** Columns that no field names, because only the server's own code reads them. */
export interface UnnamedColumns {
  /** The row, with something in every column that must have a value. */
  fill(table: string, row: Row, number: number): Promise<Row>;
}

export function createUnnamedColumns({ db, clock }: Pick<World, 'db' | 'clock'>): UnnamedColumns {
  let tables: Promise<Map<string, readonly ColumnMetadata[]>> | undefined;
  const read = async () => {
    const found = await db.read.introspection.getTables();
    return new Map(found.map(({ name, columns }) => [name, columns]));
  };
  return {
    async fill(table, row, number) {
      tables ??= read();
      const missing = ((await tables).get(table) ?? []).filter(
        ({ name, isNullable, hasDefaultValue, isAutoIncrementing }) =>
          !(name in row) && !isNullable && !hasDefaultValue && !isAutoIncrementing && name !== 'pk',
      );
      return { ...row, ...Object.fromEntries(missing.map((column) => [column.name, valueFor(column, number)])) };
    },
  };

  function valueFor({ name, dataType }: ColumnMetadata, number: number): unknown {
    if (/^int|^real|^double/i.test(dataType)) return number;
    if (/^bool/i.test(dataType)) return false;
    if (/^json/i.test(dataType)) return '{}';
    if (/^uuid/i.test(dataType)) return randomUuid();
    // SQLite keeps moments as text.
    return /^timestamp/.test(dataType) || /^(created|updated|expires|last_)/.test(name)
      ? clock.now()
      : `${name} ${number}`;
  }
}
