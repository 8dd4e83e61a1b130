import './icons.css';

const tones = 5;

/** The first letter of a name, in a colour that follows from it; always beside the name. */
export function Initial({ name }: { name: string }) {
  const tone = [...name].reduce((sum, sign) => sum + (sign.codePointAt(0) ?? 0), 0) % tones;
  return (
    <span
      className="mark initial"
      data-tone={tone}
      data-letters={[...name][0]?.toLocaleUpperCase()}
      aria-hidden="true"
    />
  );
}
