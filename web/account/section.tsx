import type { ReactNode } from 'react';
import { useHeading } from '../page/use-heading.ts';

interface Props {
  readonly title: string;
  readonly intro?: ReactNode;
  /** Actions on the section as a whole. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The main part of the page. */
export function Section({ title, intro, actions, children }: Props) {
  const heading = useHeading(title);
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
