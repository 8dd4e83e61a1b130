/** Makes a SQLite database so large that long reads have a thread of their own: the room stays with the file. */
export const makeRoom = ['create table room as select zeroblob(70000000) as empty', 'drop table room'] as const;
