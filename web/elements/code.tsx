import './code.css';

/** Code or other text whose lines matter. */
export function Code({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls with the arrow keys
    <pre className="code" tabIndex={0}>
      <code>{text}</code>
    </pre>
  );
}
