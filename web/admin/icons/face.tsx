import './icons.css';
import { useState } from 'react';

interface Props {
  /** What the initials are of. */
  readonly name: string;
  /** The picture that the server has of them. */
  readonly picture?: string | undefined;
  readonly isLarge?: boolean;
}

const colours = 8;

/** The picture of a person, or their initials; always beside their name, which says the same. */
export function Face({ name, picture, isLarge }: Props) {
  const [isMissing, setMissing] = useState(false);
  const size = isLarge ? 'large' : undefined;
  // The server draws initials too; these are the same in all places.
  if (picture && !isMissing && !picture.startsWith('data:'))
    return <img className="face" data-size={size} src={picture} alt="" onError={() => setMissing(true)} />;
  return (
    <span
      className="face"
      data-size={size}
      data-colour={colourOf(name)}
      data-letters={initialsOf(name)}
      aria-hidden="true"
    />
  );
}

/** The first letters of the first and last word, as in the pictures that the server draws. */
function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/);
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ends
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toLocaleUpperCase();
}

const colourOf = (name: string): number =>
  [...name].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % colours;
