import qrcode from 'qrcode-generator';
import './qr-code.css';

const margin = 4;

/** A text as a QR code, drawn as one path: nothing is fetched and nothing inserted as markup. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const code = qrcode(0, 'M');
  code.addData(text);
  code.make();
  const size = code.getModuleCount();
  const cells = Array.from({ length: size * size }, (_, at) => [Math.floor(at / size), at % size] as const);
  const path = cells
    .filter(([row, column]) => code.isDark(row, column))
    .map(([row, column]) => `M${column + margin} ${row + margin}h1v1h-1z`)
    .join('');
  const whole = size + 2 * margin;
  return (
    <svg
      className="qr-code"
      viewBox={`0 0 ${whole} ${whole}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={whole} height={whole} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
