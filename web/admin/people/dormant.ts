const dormantMs = 90 * 86_400_000;

/** Users who have not signed in since then are dormant: 90 days before today. */
export const dormantSince = (): string => {
  const today = new Date().toISOString().slice(0, 10);
  return new Date(Date.parse(today) - dormantMs).toISOString();
};
