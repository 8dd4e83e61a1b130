import { useEffect, useRef } from 'react';

/** The label on keyboards of this system. */
export const commandKey = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.shadowRoot !== null || target.matches('input, select, textarea'));

/** Calls a function when its key is pressed: with Ctrl or ⌘, or alone where nobody is typing. */
export function useKey(key: string, isCommand: boolean, onPress: () => void): void {
  const press = useRef(onPress);
  press.current = onPress;
  useEffect(() => {
    function listen(event: KeyboardEvent): void {
      const isHeld = event.metaKey || event.ctrlKey;
      if (event.key.toLowerCase() !== key || isHeld !== isCommand || event.altKey) return;
      if (!isCommand && isTyping(event)) return;
      event.preventDefault();
      press.current();
    }
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [key, isCommand]);
}
