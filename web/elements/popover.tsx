import './popover.css';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useLocation } from '../page/navigation.tsx';

interface Props {
  /** What it says to those who do not see the icon, and in its tooltip. */
  readonly label: string;
  readonly icon: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

/**
 * A button with an icon that opens a small panel. Escape closes it, and so does leaving it or going to another page.
 */
export function Popover(props: Props) {
  const here = useLocation(() => `${location.pathname}${location.search}`);
  return <PopoverOfPage key={here} {...props} />;
}

function PopoverOfPage({ label, icon, className = 'icon-button', children }: Props) {
  const details = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = () => details.current?.removeAttribute('open');
  useEffect(() => {
    const leave = ({ target }: PointerEvent) => {
      if (target instanceof Node && !details.current?.contains(target)) details.current?.removeAttribute('open');
    };
    addEventListener('pointerdown', leave);
    return () => removeEventListener('pointerdown', leave);
  }, []);
  return (
    <details
      ref={details}
      className="popover"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !details.current?.open) return;
        event.stopPropagation();
        close();
        details.current.querySelector('summary')?.focus();
      }}
      onBlur={({ relatedTarget, currentTarget }) => {
        if (relatedTarget && !currentTarget.contains(relatedTarget)) close();
      }}
    >
      <summary className={className} data-tooltip={label}>
        {icon}
        <span className="visually-hidden">{label}</span>
      </summary>
      {isOpen && <div className="popover-panel">{children}</div>}
    </details>
  );
}
