import { pageLocale } from '../../texts/page-language.ts';
import { t } from '../../texts/texts.ts';

/** The units that durations are entered in. */
export const units = ['second', 'minute', 'hour', 'day', 'week'] as const;

/** The largest first. */
const lengths = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
  ['millisecond', 1],
] as const;
const milliseconds: ReadonlyMap<string, number> = new Map<string, number>([
  ...lengths,
  ['week', 7 * 86_400_000],
  ['microsecond', 0.001],
]);

/** The amount of a duration in one unit: its own, or the largest for several (`weeks=3;days=2`: 23 days); else null. */
export function simpleDuration(text: string): { readonly amount: number; readonly unit: string } | null {
  const [, own = '', amount = ''] = /^(second|minute|hour|day|week)s=(\d{1,9})$/.exec(text) ?? [];
  if (own !== '') return { amount: Number(amount), unit: own };
  const total = millisecondsOf(text);
  const unit = units.findLast((one) => total % (milliseconds.get(one) ?? Number.NaN) === 0);
  return unit === undefined || total <= 0 ? null : { amount: total / (milliseconds.get(unit) ?? 1), unit };
}

/** `hour`: `hours`, in the language of the page. */
export function unitName(unit: string): string {
  const format = new Intl.NumberFormat(pageLocale(), { style: 'unit', unit, unitDisplay: 'long' });
  return format.formatToParts(10).find(({ type }) => type === 'unit')?.value ?? unit;
}

/** `minutes=90` in words: 1 hour, 30 minutes; before now with a minus; null where it cannot be read. */
export function durationText(text: string): string | null {
  const total = Math.round(millisecondsOf(text));
  if (Number.isNaN(total)) return null;
  return total === 0 ? unitText('second', 0) : inUnits(total).join(t(', '));
}

/** The same as a sentence, also of durations before now. */
export function durationWords(text: string): string | null {
  const total = millisecondsOf(text);
  if (Number.isNaN(total)) return null;
  const duration = inUnits(Math.round(Math.abs(total))).join(t(', '));
  if (duration === '') return t('That is a duration of zero.');
  return total < 0 ? t('That is {duration} earlier.', { duration }) : t('That is {duration}.', { duration });
}

function millisecondsOf(text: string): number {
  const parts = text.split(';').map((part) => {
    const [, unit = '', amount] = /^\s*([a-z]+)s\s*=\s*([+-]?\d+(?:\.\d+)?)\s*$/i.exec(part) ?? [];
    return Number(amount) * (milliseconds.get(unit.toLowerCase()) ?? Number.NaN);
  });
  return parts.reduce((sum, part) => sum + part, 0);
}

function inUnits(total: number): string[] {
  let left = total;
  return lengths.flatMap(([unit, length]) => {
    const amount = Math.trunc(left / length);
    left -= amount * length;
    return amount === 0 ? [] : [unitText(unit, amount)];
  });
}

const unitText = (unit: string, amount: number): string =>
  new Intl.NumberFormat(pageLocale(), { style: 'unit', unit, unitDisplay: 'long' }).format(amount);
