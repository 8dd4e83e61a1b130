import { useCallback } from 'react';
import { goTo, hereWith, useAddress } from './address.ts';

interface DialogState {
  readonly isOpen: boolean;
  open(): void;
  close(): void;
}

/** A dialog whose name is in the address, so it can be linked to and left by going back. */
export function useDialog(name: string): DialogState {
  const { query } = useAddress();
  const open = useCallback(() => goTo(hereWith({ dialog: name })), [name]);
  const close = useCallback(() => {
    if (new URLSearchParams(location.search).get('dialog') === name)
      goTo(hereWith({ dialog: null }), { replace: true });
  }, [name]);
  return { isOpen: query.get('dialog') === name, open, close };
}
