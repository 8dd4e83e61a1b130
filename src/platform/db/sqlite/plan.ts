/**
 * SQLite plans by the value of a bare parameter after `limit`, `offset` or `like`, and so prepares the statement again
 * whenever the value is bound: most of the time of a short list. Within an expression it ignores the value. A literal
 * limit below ten makes it sort the whole table rather than read an index in order, so that one is hidden too.
 */
export function withStablePlan(text: string): string {
  return text.replace(/\b(limit|offset) (\?|\d\b)/g, '$1 ($2 + 0)').replace(/\blike \?/g, "like (? || '')");
}
