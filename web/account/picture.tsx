import './picture.css';
import { useState } from 'react';

/** An icon, with the first letter as fallback. */
export function Picture({ address, name }: { address: string | null; name: string }) {
  const [isMissing, setMissing] = useState(false);
  if (address && !isMissing)
    return <img className="picture" src={address} alt="" width="40" height="40" onError={() => setMissing(true)} />;
  return (
    <span className="picture picture-letter" aria-hidden="true">
      {[...name][0]?.toLocaleUpperCase() ?? '?'}
    </span>
  );
}
