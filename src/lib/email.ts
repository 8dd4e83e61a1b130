/** One @, no spaces, a dotted or literal domain: what mail servers accept in practice. */
export const emailPattern =
  /^[^\s@<>(),;:"[\]\\]+@(?:(?:[A-Za-z0-9](?:-*[A-Za-z0-9])*\.)+[A-Za-z0-9-]{2,63}|localhost)$/;
