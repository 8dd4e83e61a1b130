import { type ReactNode, useEffect, useRef } from 'react';
import { useBrand } from '../page/mount-page.tsx';

interface Props {
  readonly title: string;
  readonly intro?: ReactNode;
  /** Actions on the section as a whole. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The main part of the page. */
export function Section({ title, intro, actions, children }: Props) {
  const { branding_title } = useBrand();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${branding_title}`;
  }, [title, branding_title]);
  useEffect(() => {
    // Tells screen readers that the section has changed. A newly opened document is read out anyway.
    if (history.state?.isMove) heading.current?.focus();
  }, []);
  return (
    <>
      <div className="section-head">
        <div className="section-title">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {intro && <p className="quiet">{intro}</p>}
        </div>
        {actions && <div className="row">{actions}</div>}
      </div>
      {children}
    </>
  );
}
