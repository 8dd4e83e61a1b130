import { type RefObject, useEffect, useRef } from 'react';
import { useBrand } from './mount-page.tsx';

/** Names the document, and moves the focus to the heading after a move within the page, for screen readers. */
export function useHeading(title: string): RefObject<HTMLHeadingElement | null> {
  const { branding_title } = useBrand();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${branding_title}`;
  }, [title, branding_title]);
  useEffect(() => {
    // A newly opened document is read out anyway.
    if (history.state?.isMove) heading.current?.focus();
  }, []);
  return heading;
}
