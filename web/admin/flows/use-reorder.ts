import { type PointerEvent, useEffect, useRef, useState } from 'react';
import { apiFetch, errorMessage } from '../../api/call.ts';
import type { FlowDesign } from '../../api/types.ts';
import { t } from '../../texts/texts.ts';
import { type DesignStep, flowsPath } from './design.ts';
import type { CardMoves } from './step-card.tsx';

interface Reorder {
  /** In the displayed order: while dragging or saving, the new one. */
  readonly steps: readonly DesignStep[];
  readonly dragged: string | null;
  /** For screen readers. */
  readonly told: string;
  readonly problem: string | null;
  readonly moves: CardMoves;
}

/** Moves stages by dragging and by keyboard. Each move is one write of the whole order. */
export function useReorder(design: FlowDesign, reload: () => Promise<void>): Reorder {
  const [order, setOrder] = useState<readonly string[] | null>(null);
  const [dragged, setDragged] = useState<string | null>(null);
  const [told, setTold] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const queue = useRef<Promise<unknown>>(Promise.resolve());
  const focus = useRef<string | null>(null);
  const saved = useRef<readonly string[]>([]);
  const latest = useRef<readonly string[]>([]);
  const keys = design.steps.map(({ pk }) => pk);
  const shown = order && isPermutation(order, keys) ? order : keys;
  useEffect(() => {
    saved.current = design.steps.map(({ pk }) => pk);
  }, [design]);
  // Moving an element in the document drops its focus.
  useEffect(() => {
    if (focus.current && order) document.querySelector<HTMLElement>(`[data-focus="${focus.current}"]`)?.focus();
  }, [order]);

  function save(wanted: readonly string[], step: DesignStep): void {
    setOrder(wanted);
    latest.current = wanted;
    setProblem(null);
    const name = step.name ?? t('hidden');
    setTold(
      t('{name} is now at place {place} of {count}.', {
        ...{ name, place: wanted.indexOf(step.pk) + 1, count: wanted.length },
      }),
    );
    // Sequentially: each write names the order that it is based on.
    queue.current = queue.current.then(async () => {
      const seen = saved.current;
      if (wanted.join() === seen.join()) return;
      try {
        const path = `${flowsPath}${encodeURIComponent(design.slug)}/order/`;
        await apiFetch('POST', path, { bindings: wanted, seen });
        saved.current = wanted;
      } catch (caught) {
        setProblem(errorMessage(caught));
      }
      await reload();
      if (latest.current === wanted) setOrder(null);
    });
  }

  function by(step: DesignStep, places: number): void {
    const at = shown.indexOf(step.pk);
    const active = document.activeElement;
    focus.current = active instanceof HTMLElement ? (active.dataset.focus ?? null) : null;
    save(shown.toSpliced(at, 1).toSpliced(at + places, 0, step.pk), step);
  }

  function grab(step: DesignStep, down: PointerEvent<HTMLElement>): void {
    if (down.button !== 0) return;
    const handle = down.currentTarget;
    const list = handle.closest('ol');
    if (!list) return;
    handle.setPointerCapture(down.pointerId);
    focus.current = null;
    let wanted = shown;
    setDragged(step.pk);
    const move = (event: globalThis.PointerEvent) => {
      wanted = placed(list, shown, step.pk, event.clientY);
      setOrder(wanted);
    };
    const end = (isKept: boolean) => {
      for (const [name, listener] of listeners) removeEventListener(name, listener);
      setDragged(null);
      if (isKept && wanted !== shown) save(wanted, step);
      else setOrder(shown);
    };
    const listeners: [string, (event: Event) => void][] = [
      ['pointermove', (event) => event instanceof globalThis.PointerEvent && move(event)],
      ['pointerup', () => end(true)],
      ['pointercancel', () => end(false)],
      ['keydown', (event) => event instanceof KeyboardEvent && event.key === 'Escape' && end(false)],
    ];
    for (const [name, listener] of listeners) addEventListener(name, listener);
  }

  const byKey = new Map(design.steps.map((step) => [step.pk, step]));
  return {
    steps: shown.flatMap((pk) => byKey.get(pk) ?? []),
    ...{ dragged, told, problem },
    moves: { by, grab },
  };
}

const isPermutation = (order: readonly string[], keys: readonly string[]): boolean =>
  order.length === keys.length && order.every((pk) => keys.includes(pk));

/** The order with the dragged card at the pointer: after the cards whose middle is above it. */
function placed(list: Element, shown: readonly string[], pk: string, y: number): readonly string[] {
  const others = shown.filter((key) => key !== pk);
  const at = others.filter((key) => {
    const card = list.querySelector(`[data-step="${CSS.escape(key)}"]`)?.getBoundingClientRect();
    return card && card.top + card.height / 2 < y;
  }).length;
  const wanted = others.toSpliced(at, 0, pk);
  return wanted.join() === shown.join() ? shown : wanted;
}
