/**
 * SQLite plans by the value of a parameter that stands alone after `limit`, `offset` or `like`, and so parses and plans the statement
 * anew whenever the value is bound: most of the time of a short list. As part of an expression it is not looked at.
 */
export function withStablePlan(text: string): string {
  return text.replace(/\b(limit|offset) \?/g, '$1 (? + 0)').replace(/\blike \?/g, "like (? || '')");
}
