/**
 * Unicode's compatibility form with full case folding (NFKC_Casefold without the removal of invisible characters, which
 * names cannot contain): `Émile`, `émile` and a composed or decomposed `ÉMILE` are one name.
 */
export function foldName(name: string): string {
  const folded = name.normalize('NFKC').replaceAll(/[^ı]+/g, foldCase).replaceAll('ς', 'σ');
  return folded.normalize('NFKC');
}

/**
 * JavaScript has no case folding. Upper case in between expands `ß`; it would turn a dotless `ı` into `i`, which
 * folding keeps.
 */
const foldCase = (text: string): string => text.toLowerCase().toUpperCase().toLowerCase();
