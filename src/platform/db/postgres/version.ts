const required = 15;

/** Takes `server_version_num`: 150004 is 15.4. */
export function requirePostgres(number: number): void {
  if (number >= required * 10_000) return;
  const found = number >= 100_000 ? Math.floor(number / 10_000) : `9.${Math.floor(number / 100) % 100}`;
  throw new Error(`Gatehouse needs PostgreSQL ${required} or later; the server is PostgreSQL ${found}`);
}
