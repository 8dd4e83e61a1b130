import './code.css';

/** Code or other text whose lines matter. */
export function Code({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll with the arrow keys
    <pre className="code" tabIndex={0}>
      <code>{text}</code>
    </pre>
  );
}
