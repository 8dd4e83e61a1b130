/** E.164: a plus sign, the country code, at most fifteen digits in all. */
const pattern = /^\+[1-9]\d{6,14}$/;

/** Normalizes a number to E.164; null if it is not a phone number. */
export function readPhoneNumber(text: string): string | null {
  const number = text.replaceAll(/[\s().\-/]/g, '').replace(/^00/, '+');
  return pattern.test(number) ? number : null;
}
