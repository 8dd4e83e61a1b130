/** The tables that grow most by use, from a few rows at the first start. Autovacuum analyzes them when they have. */
export const growingTables = ['users', 'events', 'sign_in_attempts'];
