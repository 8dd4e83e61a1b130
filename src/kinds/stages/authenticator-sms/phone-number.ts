/** E.164: a plus sign, the country, no more than fifteen digits. */
const pattern = /^\+[1-9]\d{6,14}$/;

/** The number as services take it; null for what is none. */
export function readPhoneNumber(text: string): string | null {
  const number = text.replaceAll(/[\s().\-/]/g, '').replace(/^00/, '+');
  return pattern.test(number) ? number : null;
}
