/** How many keys, or pairs of them, a statement takes at a time: SQLite allows 32,766 parameters. */
export const keysPerStatement = 5_000;
