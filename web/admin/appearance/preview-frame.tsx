import { useEffect, useRef, useState } from 'react';
import { type Draft, readyMessage } from '../../preview/draft.ts';
import type { Language } from '../../texts/languages.ts';
import { t } from '../../texts/texts.ts';

export type Width = 'wide' | 'phone';

const sizes = { wide: { width: 1024, height: 640 }, phone: { width: 375, height: 700 } } as const;

interface Props {
  readonly draft: Draft;
  readonly width: Width;
  readonly language: Language;
}

/** An iframe in the size of a screen, scaled down, so that media queries apply. */
export function PreviewFrame({ draft, width, language }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const [room, setRoom] = useState(0);
  const text = JSON.stringify(draft);

  useEffect(() => {
    const send = () => frame.current?.contentWindow?.postMessage({ draft: JSON.parse(text) }, location.origin);
    const receive = ({ source, data }: MessageEvent) => {
      if (source === frame.current?.contentWindow && data === readyMessage) send();
    };
    addEventListener('message', receive);
    send();
    return () => removeEventListener('message', receive);
  }, [text]);

  useEffect(() => {
    if (!place.current) return;
    const observer = new ResizeObserver(([entry]) => setRoom(entry?.contentRect.width ?? 0));
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);

  const size = sizes[width];
  const scale = Math.min(1, room / size.width);
  return (
    <div ref={place} className="preview-place" style={{ height: size.height * scale }}>
      <iframe
        // The language is fixed when a document loads.
        key={language}
        ref={frame}
        title={t('Preview of sign-in')}
        src={`/if/preview/?language=${language}`}
        // Scripts only: no forms, windows or navigation of this page.
        sandbox="allow-scripts allow-same-origin"
        tabIndex={-1}
        style={{ ...size, transform: `scale(${scale})` }}
      />
    </div>
  );
}
