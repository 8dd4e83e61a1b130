/** Whether a character (of one byte) occurs more often than this. Reads no further than it must. */
export function occursMoreOften(bytes: Buffer, character: string, than: number): boolean {
  const code = character.charCodeAt(0);
  let at = -1;
  for (let count = 0; count <= than; count += 1) {
    at = bytes.indexOf(code, at + 1);
    if (at === -1) return false;
  }
  return true;
}
