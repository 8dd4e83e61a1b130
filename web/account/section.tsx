import { type ReactNode, useEffect, useRef } from 'react';
import { useBrand } from '../page/mount-page.tsx';

interface Props {
  readonly title: string;
  readonly intro?: ReactNode;
  /** What can be done with the section as a whole. */
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
    // Those who listen learn that they are elsewhere. A document that was just opened is read out anyway.
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
