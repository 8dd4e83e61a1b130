/** The row of a statement that always returns one: an insert with `returning`, an aggregate. */
export function firstRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('the statement gave no row');
  return row;
}
