/**
 * SQLite plans by the value of a bare parameter after `limit`, `offset` or `like`, and so prepares the statement again
 * whenever the value is bound: most of the time of a short list. Within an expression it ignores the value.
 */
export function withStablePlan(text: string): string {
  return text.replace(/\b(limit|offset) \?/g, '$1 (? + 0)').replace(/\blike \?/g, "like (? || '')");
}
