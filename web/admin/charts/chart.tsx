import { pageLocale } from '../../texts/page-language.ts';
import 'uplot/dist/uPlot.min.css';
import './chart.css';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { numberText } from '../labels.ts';

export interface Series {
  readonly label: string;
  /** The name of a colour of the style sheets: `--accent`. */
  readonly colour: string;
  readonly values: readonly number[];
}

interface Props {
  /** The accessible name; the numbers are in the table beside it. */
  readonly label: string;
  /** When each interval begins, in seconds. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly look: 'lines' | 'bars';
  /** Called with the selected period in seconds. */
  onSelect?(from: number, to: number): void;
}

const height = 220;

/** Counts over time, drawn on a canvas. Its colours follow the theme, its width follows the page. */
export function Chart({ label, times, series, look, onSelect }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const select = useRef(onSelect);
  select.current = onSelect;
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    let chart: uPlot | undefined;
    const draw = () => {
      chart?.destroy();
      const options = optionsFor(element, series, { look, step: (times[1] ?? 0) - (times[0] ?? 0) }, (from, to) =>
        select.current?.(from, to),
      );
      chart = new uPlot(options, [[...times], ...series.map(({ values }) => [...values])], element);
    };
    const onResize = new ResizeObserver(() => {
      if (!chart) draw();
      else chart.setSize({ width: element.clientWidth, height });
    });
    onResize.observe(element);
    const onTheme = new MutationObserver(draw);
    onTheme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', draw);
    return () => {
      onResize.disconnect();
      onTheme.disconnect();
      system.removeEventListener('change', draw);
      chart?.destroy();
    };
  }, [times, series, look]);
  return <div ref={place} dir="ltr" className="chart" role="img" aria-label={label} />;
}

const daySeconds = 86_400;

/** A mark of the axis of time: the day, or the hour within it. */
function timeText(seconds: number, step: number): string {
  const moment = new Date(seconds * 1000);
  const isDay = step >= daySeconds || (moment.getHours() === 0 && moment.getMinutes() === 0);
  const parts: Intl.DateTimeFormatOptions = isDay
    ? { month: 'short', day: 'numeric' }
    : { hour: 'numeric', minute: '2-digit' };
  return new Intl.DateTimeFormat(pageLocale(), parts).format(moment);
}

/** A colour of the style sheets as the canvas takes it. */
function colourIn(element: HTMLElement, name: string): string {
  element.style.setProperty('color', `var(${name})`);
  const { color } = getComputedStyle(element);
  element.style.removeProperty('color');
  return color;
}

function optionsFor(
  element: HTMLElement,
  series: readonly Series[],
  { look, step }: { readonly look: Props['look']; readonly step: number },
  onSelect: (from: number, to: number) => void,
): uPlot.Options {
  const [text, line] = [colourIn(element, '--text-quiet'), colourIn(element, '--line')];
  const axis: uPlot.Axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  const bars = look === 'bars' && uPlot.paths.bars ? { paths: uPlot.paths.bars({ size: [0.8, 40], align: 1 }) } : {};
  return {
    width: element.clientWidth,
    height,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: true, y: false, setScale: false } },
    // A bar reaches from the beginning of its interval to the end.
    scales: {
      ...(look === 'bars' && {
        x: { range: (_: uPlot, min: number, max: number): [number, number] => [min, max + step] },
      }),
      y: { range: (_, __, max) => [0, Math.max(4, Math.ceil(max * 1.1))] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        // Wide enough for an hour in any language.
        space: 64,
        values: (_, times, __, ___, step) => times.map((time) => timeText(time, step)),
      },
      {
        ...axis,
        size: 44,
        values: (_, counts) => counts.map(numberText),
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1e5, 1e6],
      },
    ],
    series: [
      {},
      ...series.map(({ label, colour }) => {
        const stroke = colourIn(element, colour);
        return {
          label,
          stroke,
          width: look === 'bars' ? 0 : 2,
          ...(look === 'bars' && { fill: stroke }),
          points: { show: false },
          ...bars,
        };
      }),
    ],
    hooks: {
      setSelect: [
        (chart) => {
          const { left, width } = chart.select;
          if (width > 4) onSelect(chart.posToVal(left, 'x'), chart.posToVal(left + width, 'x'));
        },
      ],
    },
  };
}
